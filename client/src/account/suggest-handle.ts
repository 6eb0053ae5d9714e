// A first idea for a handle from a name: `Ada Lovelace` → `ada`. The server decides whether it is allowed and free.

const LONGEST = 30

export function suggestHandle(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const first = /[a-z][a-z0-9_-]*/.exec(plain)?.[0] ?? ''
  return first.slice(0, LONGEST)
}
