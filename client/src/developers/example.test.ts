import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { cloudEventExample, curlExample, curlLine, typescriptExample } from './example.ts'

const place = { origin: 'http://localhost:3000', topic: 'project/apollo' }

/** What a shell makes of a line, word by word. */
const wordsOf = (line: string) =>
  execFileSync('sh', ['-c', line.replace(/^curl/, String.raw`printf "%s\0"`)], {
    encoding: 'utf8',
    env: { SIGNAL_KEY: 'sf_a_b' },
  }).split('\0')

it('[FEED-10] the line for the terminal reaches curl as it should, whatever is in it', () => {
  const words = wordsOf(curlLine({ ...place, secret: "it's" }))
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

it('[FEED-18] the examples take the key from the environment and are what the server reads', () => {
  const json = wordsOf(curlExample(place))
  expect(json).toContain('Authorization: Bearer sf_a_b')
  expect(JSON.parse(json[json.indexOf('-d') + 1]!)).toMatchObject({ topic: 'project/apollo', verb: 'deployed' })
  const event = wordsOf(cloudEventExample(place))
  expect(event).toEqual(expect.arrayContaining(['ce-specversion: 1.0', 'ce-topic: project/apollo', 'ce-id: build-512']))
  expect(JSON.parse(event[event.indexOf('-d') + 1]!)).toHaveProperty('summary')
  const code = typescriptExample(place)
  expect(code).toContain(`fetch('${place.origin}/api/ingest'`)
})
