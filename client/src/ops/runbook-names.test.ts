import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RUNBOOKS } from './runbook-names.ts'

it('[FEED-17] every number leads to a runbook that exists', () => {
  const folder = new URL('../../../monitoring/runbooks/', import.meta.url)
  expect(Object.values(RUNBOOKS).filter((name) => !existsSync(new URL(`${name}.md`, folder)))).toEqual([])
})
