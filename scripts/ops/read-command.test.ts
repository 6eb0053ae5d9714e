import { describe, expect, it } from 'vitest'
import { readCommand, UsageError } from './read-command.ts'

describe('[DLV-6] npm run ops', () => {
  it('reads lists with filters', () => {
    expect(readCommand('dlq list --handler webhooks --class transient --older-than 15m --limit 5'.split(' '))).toEqual({
      name: 'list',
      json: false,
      input: { handler: 'webhooks', class: 'transient', olderThanSeconds: 900, limit: 5 },
    })
  })

  it('reads what to do, with which, and why', () => {
    expect(readCommand(['dlq', 'replay', '1-0', '2-0', '--reason', 'acme is back', '--dry-run'])).toMatchObject({
      input: { action: 'replay', ids: ['1-0', '2-0'], reason: 'acme is back', dryRun: true },
    })
    expect(readCommand(['dlq', 'discard', '--all', '--handler', 'mentions', '--reason', 'gone'])).toMatchObject({
      input: { action: 'discard', filter: { handler: 'mentions' }, dryRun: false },
    })
  })

  it('[FEED-17] reads who becomes an operator', () => {
    expect(readCommand(['operators', 'list'])).toEqual({ name: 'operators', json: false })
    expect(readCommand(['operators', 'add', '@ada'])).toMatchObject({
      name: 'set-role',
      handle: 'ada',
      role: 'operator',
    })
    expect(readCommand(['operators', 'remove', 'ada'])).toMatchObject({ handle: 'ada', role: 'member' })
  })

  it.each([
    [['operators', 'add'], /one handle/],
    [['operators', 'promote', 'ada'], /npm run ops/],
    [['dlq', 'replay', '1-0'], /reason/],
    [['dlq', 'replay', '--reason', 'because'], /ids, or --all/],
    [['dlq', 'replay', '1-0', '--all', '--reason', 'because'], /ids, or --all/],
    [['dlq', 'replay', 'x', '--reason', 'because'], /not the id/],
    [['dlq', 'list', '--handler', 'nobody'], /handler.*mentions/],
    [['dlq', 'list', '--older-than', 'soon'], /15m/],
    [['dlq', 'list', '--limit', 'many'], /limit/],
    [['dlq', 'show'], /one id/],
    [['dlq', 'list', '--colour'], /colour/],
    [['dlq'], /npm run ops/],
    [[], /npm run ops/],
  ])('%j is refused in one line', (args, line) => {
    expect(() => readCommand(args)).toThrow(UsageError)
    expect(() => readCommand(args)).toThrow(line)
  })
})
