// Lines for the terminal and for programs that publish something, ready to be pasted.
import { githubPath, INGEST_PATH } from '#shared/ingest-paths.ts'

type Options = { origin: string; secret: string; topic: string }
/** Where the key is taken from the environment. */
type Place = Omit<Options, 'secret'>

const FIRST = { type: 'release', id: '1.0', title: 'my service 1.0' }

export function curlLine({ origin, secret, topic }: Options): string {
  const activity = { topic, verb: 'deployed', object: FIRST, summary: 'Hello from the terminal.' }
  return [
    `curl ${quoted(`${origin}${INGEST_PATH}`)}`,
    `-H ${quoted(`Authorization: Bearer ${secret}`)}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-d ${quoted(JSON.stringify(activity))}`,
  ].join(' \\\n  ')
}

export function curlExample({ origin, topic }: Place): string {
  const activity = { topic, verb: 'deployed', object: FIRST, summary: 'Hello from the terminal.' }
  return [
    `curl ${quoted(`${origin}${INGEST_PATH}`)}`,
    `-H "Authorization: Bearer $SIGNAL_KEY"`,
    `-H 'Idempotency-Key: my-service-1.0'`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(activity, null, 2).replaceAll('\n', '\n  '))}`,
  ].join(' \\\n  ')
}

export function cloudEventExample({ origin, topic }: Place): string {
  return [
    `curl ${quoted(`${origin}${INGEST_PATH}`)}`,
    `-H "Authorization: Bearer $SIGNAL_KEY"`,
    ...[
      "'ce-specversion: 1.0'",
      "'ce-type: com.example.build.finished'",
      "'ce-source: /builds'",
      "'ce-id: build-512'",
    ].map((header) => `-H ${header}`),
    `-H 'ce-topic: ${topic}'`,
    `-H 'ce-subject: build 512'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"summary":"All 214 tests passed."}'`,
  ].join(' \\\n  ')
}

export const githubExample = ({ origin }: Place): string =>
  [
    'Payload URL   ',
    `${origin}${githubPath('<source>')}`,
    '\nContent type   ',
    'application/json',
    '\nSecret         ',
    'the one shown with the key',
  ].join('')

export function typescriptExample({ origin, topic }: Place): string {
  const body = JSON.stringify({ topic, verb: 'deployed', object: FIRST }, null, 2).replaceAll('\n', '\n  ')
  return `await fetch('${origin}${INGEST_PATH}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.SIGNAL_KEY}\`,
    'content-type': 'application/json',
    'idempotency-key': 'my-service-1.0',
  },
  body: JSON.stringify(${body}),
})`
}

/** As one word for a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
