// Which parts of a text matched, as pieces of the text. Markup never comes into being, so none can be smuggled in.
import type { Segment } from '#shared/search.ts'
import { WORD } from './words.ts'

/** About two lines. */
const EXCERPT_CHARS = 240
/** What stands before the first match, so that it can be understood. */
const LEAD_CHARS = 60

/** The whole word is marked, also where only its beginning was typed. */
export function markWords(text: string, words: readonly string[]): Segment[] {
  const segments: Segment[] = []
  const add = (piece: string, hit: boolean) => {
    if (piece !== '') segments.push({ text: piece, hit })
  }
  let at = 0
  for (const match of text.matchAll(WORD)) {
    const word = match[0].toLowerCase()
    if (!words.some((begin) => word.startsWith(begin))) continue
    add(text.slice(at, match.index), false)
    add(match[0], true)
    at = match.index + match[0].length
  }
  add(text.slice(at), false)
  return segments
}

/** The part of a long text around its first match, on one line. */
export function markExcerpt(text: string, words: readonly string[]): Segment[] {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= EXCERPT_CHARS) return markWords(line, words)
  const [first, second] = markWords(line, words)
  const hitAt = first && !first.hit && second ? first.text.length : 0
  const from = Math.max(0, Math.min(hitAt - LEAD_CHARS, line.length - EXCERPT_CHARS))
  const piece = line.slice(wordStart(line, from), wordEnd(line, from + EXCERPT_CHARS))
  return markWords(`${from > 0 ? '…' : ''}${piece}${from + EXCERPT_CHARS < line.length ? '…' : ''}`, words)
}

/** Never inside a word, and so never inside a character; a word without end is cut all the same, between characters. */
function wordStart(line: string, at: number): number {
  if (at === 0) return 0
  const space = line.indexOf(' ', at)
  return space >= 0 && space - at < LEAD_CHARS ? space + 1 : at + Number(isLowHalf(line, at))
}

function wordEnd(line: string, at: number): number {
  if (at >= line.length) return line.length
  const space = line.lastIndexOf(' ', at)
  return space > at - LEAD_CHARS ? space : at - Number(isLowHalf(line, at))
}

const isLowHalf = (line: string, at: number): boolean => /[\uDC00-\uDFFF]/.test(line.charAt(at))
