// People: the part of an account that others may see.
import { z } from 'zod'

export const HANDLE_PATTERN = /^[a-z][a-z0-9_-]{1,29}$/

export const handle = z
  .string()
  .regex(HANDLE_PATTERN, 'Use 2 to 30 lower-case letters, digits, _ or -, starting with a letter.')

/** Control characters, half surrogates (neither can be stored) and marks that turn the direction of the text around. */
export const UNFIT_FOR_NAMES = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u

export const displayName = z
  .string()
  .trim()
  .min(1, 'Say what to call you.')
  .max(80, 'At most 80 characters.')
  .refine((name) => !UNFIT_FOR_NAMES.test(name), 'Contains characters that a name cannot have.')

export const role = z.enum(['member', 'operator'])
export type Role = z.infer<typeof role>

export type Person = { id: string; handle: string; name: string }

export type Me = Person & { email: string; role: Role; followsVersion: number }
