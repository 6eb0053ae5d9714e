// What somebody typed, as words: letters and digits between anything else, as the stored words are. Each stands for
// every word that begins with it, so a search works while it is being typed.

/** More than anybody types on purpose; each costs a lookup. */
const WORDS_MAX = 8

export const WORD = /[\p{L}\p{N}\p{M}]+/gu

export function wordsOf(query: string): string[] {
  const words = query.toWellFormed().toLowerCase().match(WORD) ?? []
  return [...new Set(words)].slice(0, WORDS_MAX)
}
