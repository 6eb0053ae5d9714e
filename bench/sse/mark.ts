// A mark travels inside the text of each event: its number and the monotonic microsecond at which it was published. All
// processes of one machine share that clock, and whatever server passes the text on can be measured.

export const MARK_BYTES = 2 + 9 + 1 + 16 + 2

export const microseconds = (): number => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e6 + Math.floor(nanoseconds / 1e3)
}

export const printMark = (number: number): string =>
  `@@${String(number).padStart(9, '0')}:${String(microseconds()).padStart(16, '0')}@@`

const AT = 64

/** Calls back for every mark that is whole in these bytes; returns where to go on when more bytes have come. */
export function findMarks(bytes: Buffer, onMark: (number: number, publishedAt: number) => void): number {
  let from = 0
  for (;;) {
    const start = bytes.indexOf('@@', from, 'latin1')
    if (start === -1) return Math.max(from, bytes.length - 1)
    if (start + MARK_BYTES > bytes.length) return start
    if (bytes[start + MARK_BYTES - 1] === AT && bytes[start + MARK_BYTES - 2] === AT) {
      onMark(digits(bytes, start + 2, 9), digits(bytes, start + 12, 16))
      from = start + MARK_BYTES
    } else from = start + 1
  }
}

function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) value = value * 10 + bytes[i]! - 48
  return value
}
