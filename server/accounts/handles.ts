// Handles for people who come from a provider that knows only a name and an e-mail: readable, valid, and free.
import type { Random } from '#shared/clock.ts'
import { HANDLE_PATTERN } from '#shared/person.ts'

const BASE_MAX = 24

/** A valid handle made of the first of these texts that has letters in it. */
export function handleFrom(...texts: (string | null | undefined)[]): string {
  for (const text of texts) {
    const plain = (text ?? '')
      .split('@')[0]!
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^[^a-z]+/, '')
      .slice(0, BASE_MAX)
      .replace(/[-_]+$/, '')
    if (HANDLE_PATTERN.test(plain)) return plain
  }
  return 'person'
}

/** What to try in turn when the handle is taken; the last ones are random, so that a common name also finds a place. */
export function handleCandidates(base: string, random: Random): string[] {
  const numbered = Array.from({ length: 8 }, (_, index) => `${base}-${index + 2}`)
  const rolled = Array.from({ length: 4 }, () => `${base}-${Math.floor(10_000 + random() * 90_000)}`)
  return [base, ...numbered, ...rolled]
}
