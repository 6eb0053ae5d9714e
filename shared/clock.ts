// Time and chance as arguments, so that tests decide both.

export type Clock = { now: () => number }
/** A number in [0, 1). */
export type Random = () => number

export const systemClock: Clock = { now: () => Date.now() }
export const systemRandom: Random = () => Math.random()

export type FixedClock = Clock & { advance: (ms: number) => void }

export function fixedClock(startMs = 1_800_000_000_000): FixedClock {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
  }
}

/** A small seeded generator (mulberry32): the same seed gives the same run. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
