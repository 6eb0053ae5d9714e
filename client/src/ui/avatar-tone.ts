// Everybody keeps one of six colours, chosen by their handle.

const TONES = 6

export function avatarTone(handle: string): number {
  let hash = 0
  for (const letter of handle) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0
  return (hash % TONES) + 1
}

/** The first letter or digit of a name, as people write it. */
export function initial(name: string): string {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toLocaleUpperCase() ?? '?'
}
