// A line for the terminal that publishes something, ready to be pasted.
import { INGEST_PATH } from '#shared/ingest-paths.ts'

type Options = { origin: string; secret: string; topic: string }

export function curlLine({ origin, secret, topic }: Options): string {
  const activity = {
    topic,
    verb: 'deployed',
    object: { type: 'release', id: '1.0', title: 'my service 1.0' },
    summary: 'Hello from the terminal.',
  }
  return [
    `curl ${quoted(`${origin}${INGEST_PATH}`)}`,
    `-H ${quoted(`Authorization: Bearer ${secret}`)}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-d ${quoted(JSON.stringify(activity))}`,
  ].join(' \\\n  ')
}

/** As one word for a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
