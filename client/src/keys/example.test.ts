import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { curlLine } from './example.ts'

it('[FEED-10] the line for the terminal reaches curl as it should, whatever is in it', () => {
  const line = curlLine({ origin: 'http://localhost:3000', secret: "it's", topic: 'project/apollo' })
  const words = execFileSync('sh', ['-c', line.replace(/^curl/, 'printf "%s\\n"')], { encoding: 'utf8' }).split('\n')
  expect(words.slice(0, 6)).toEqual([
    'http://localhost:3000/api/ingest',
    '-H',
    "Authorization: Bearer it's",
    '-H',
    'Content-Type: application/json',
    '-d',
  ])
  expect(JSON.parse(words[6]!)).toMatchObject({ topic: 'project/apollo', verb: 'deployed' })
})
