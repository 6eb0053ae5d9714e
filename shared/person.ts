// People: the part of an account that others may see.
import { z } from 'zod'

export const HANDLE_PATTERN = /^[a-z][a-z0-9_-]{1,29}$/

export const handle = z
  .string()
  .regex(HANDLE_PATTERN, 'Use 2 to 30 lower-case letters, digits, _ or -, starting with a letter.')

export const displayName = z.string().trim().min(1, 'Say what to call you.').max(80, 'At most 80 characters.')

export const role = z.enum(['member', 'operator'])
export type Role = z.infer<typeof role>

export type Person = { id: string; handle: string; name: string }

export type Me = Person & { email: string; role: Role; followsVersion: number }
