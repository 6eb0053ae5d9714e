// Turns one JSON log line into one line for a developer's terminal: time, level, room, message, then the rest.

const COLOURS: Record<string, string> = { fatal: '35', error: '31', warn: '33', info: '32', debug: '36', trace: '90' }

export function readableLine(line: string): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line)
  } catch {
    return line
  }
  const { time, level, room, msg, ...rest } = entry
  const clock = typeof time === 'string' ? time.slice(11, 23) : ''
  const label = String(level ?? '')
  const parts = [`\x1b[90m${clock}\x1b[0m`, `\x1b[${COLOURS[label] ?? '0'}m${label.padEnd(5)}\x1b[0m`]
  if (room) parts.push(`\x1b[90m${room}\x1b[0m`)
  if (msg) parts.push(String(msg))
  const details = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`)
  if (details.length > 0) parts.push(`\x1b[90m${details.join(' ')}\x1b[0m`)
  return `${parts.join(' ')}\n`
}

// Quoted when it holds more than a word, so that text from outside cannot break the line or colour the terminal.
function plain(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value)
}
