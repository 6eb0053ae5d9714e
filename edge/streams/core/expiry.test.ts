import { describe, expect, test } from 'vitest'
import { endsAtMs, isOver, parseLifetime, sameLifetime, worthNoting } from './expiry.ts'
import { isRefusal } from './refusal.ts'

describe('[STR-1] how long a stream lives', () => {
  test('a sliding life ends a while after its last use', () => {
    const life = { kind: 'sliding', ttlSeconds: 10 } as const
    expect(isOver(life, 5_000, 14_999)).toBe(false)
    expect(isOver(life, 5_000, 15_000)).toBe(true)
  })

  test('a fixed end does not move with use', () => {
    const life = parseLifetime(null, '2026-01-02T03:04:05+01:00')
    expect(!isRefusal(life) && endsAtMs(life, 1)).toBe(Date.UTC(2026, 0, 2, 2, 4, 5))
  })

  test('no end at all', () => {
    const life = parseLifetime(null, null)
    expect(!isRefusal(life) && endsAtMs(life, 1)).toBeNull()
  })

  test('uses close to each other are written down once', () => {
    const life = { kind: 'sliding', ttlSeconds: 100 } as const
    expect(worthNoting(life, 0, 4_999)).toBe(false)
    expect(worthNoting(life, 0, 5_000)).toBe(true)
    expect(worthNoting({ kind: 'endless' }, 0, 5_000_000)).toBe(false)
  })

  test('lives compare by what they say', () => {
    expect(sameLifetime({ kind: 'sliding', ttlSeconds: 1 }, { kind: 'sliding', ttlSeconds: 1 })).toBe(true)
    expect(sameLifetime({ kind: 'sliding', ttlSeconds: 1 }, { kind: 'sliding', ttlSeconds: 2 })).toBe(false)
    expect(sameLifetime({ kind: 'sliding', ttlSeconds: 1 }, { kind: 'until', atMs: 1_000 })).toBe(false)
  })
})

test.each(['+1', '01', '1.0', '1e3', '-1', 'soon', ''])('[STR-6] a TTL of %j is refused', (ttl) => {
  expect(parseLifetime(ttl, null)).toMatchObject({ status: 400 })
})

test.each(['tomorrow', '2026-01-02', '2026-13-40T00:00:00Z'])('[STR-6] an end at %j is refused', (at) => {
  expect(parseLifetime(null, at)).toMatchObject({ status: 400 })
})

test('[STR-6] both ends at once are refused', () => {
  expect(parseLifetime('1', '2026-01-02T03:04:05Z')).toMatchObject({ status: 400 })
})
