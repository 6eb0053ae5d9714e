// How a key is written: `sf_` and a part that may be shown, then 256 random bits. The beginning lets scanners of leaked
// secrets recognise it, and lets us find the row without comparing secrets.

export const PREFIX_BYTES = 6
export const SECRET_BYTES = 32
/** The address of a GitHub source is not secret, but nobody should find it by counting. */
export const SOURCE_BYTES = 16

const KEY = /^sf_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/
const SOURCE = /^[0-9a-f]{32}$/
const BEARER = /^bearer +(\S+) *$/i

export const printKey = (prefix: string, secret: string): string => `sf_${prefix}_${secret}`

export function parseKey(text: string): { prefix: string; secret: string } | null {
  const match = KEY.exec(text)
  return match ? { prefix: match[1]!, secret: match[2]! } : null
}

export const isSource = (text: string): boolean => SOURCE.test(text)

/** The token of an `Authorization` header, or null when it is missing or of another kind. */
export const bearerToken = (header: string | undefined): string | null => BEARER.exec(header ?? '')?.[1] ?? null
