// A text frame as a message, or what is wrong with it. Names that reach into an object's prototype are refused at any
// depth: what we pass on must be harmless to whoever merges it.
import { firstProblem } from '../first-problem.ts'
import { type SharedMessage, sharedMessageSchema } from './message.ts'

export type Parsed = { ok: true; message: SharedMessage } | { ok: false; problem: string; id: string | null }

/** Deeper than anything meaningful; a walk or a print of it must not run out of stack. */
const MAX_DEPTH = 64
/** Only texts with one of these can hold a dangerous name; `\u` could spell it. */
const SUSPICIOUS = /__proto__|constructor|\\u/

export function parseFrame(text: string): Parsed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return bad('not JSON')
  }
  const harm = findHarm(value, SUSPICIOUS.test(text))
  if (harm !== null) return bad(harm, idOf(value))
  const parsed = sharedMessageSchema.safeParse(value)
  if (parsed.success) return { ok: true, message: parsed.data }
  const { field, message } = firstProblem(parsed.error, 'frame')
  return bad(`${field}: ${message}`, idOf(value))
}

const bad = (problem: string, id: string | null = null): Parsed => ({ ok: false, problem, id })

/** So that even a refusal says what it answers. */
function idOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null
  return sharedMessageSchema.shape.id.safeParse(value.id).data ?? null
}

function findHarm(root: unknown, suspicious: boolean): string | null {
  let level: unknown[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return 'nested too deeply'
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (suspicious && reachesPrototype(value)) return 'a name in it is not allowed'
      for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) below.push(child)
    }
    level = below
  }
  return null
}

function reachesPrototype(value: object): boolean {
  if (Object.hasOwn(value, '__proto__')) return true
  const made: unknown = Object.hasOwn(value, 'constructor') ? Reflect.get(value, 'constructor') : null
  return typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')
}
