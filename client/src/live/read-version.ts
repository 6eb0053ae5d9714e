// Whether the read flags on screen are as new as the counts. Every change of what a person has read raises a version by
// one; a change that we heard of or made ourselves is on screen, any other one is not. Pure.

export type ReadVersion = {
  /** Up to here every change is on screen; null until the first version is known. */
  shown: number | null
  /** Changes that came ahead of others before them. */
  ahead: ReadonlySet<number>
  /** The newest version that we know to exist. */
  newest: number
}

export const UNKNOWN_READS: ReadVersion = { shown: null, ahead: new Set(), newest: 0 }

/** The change that made this version is on screen. */
export function changeShown(state: ReadVersion, version: number): ReadVersion {
  if (state.shown === null || version <= state.shown) return state
  const ahead = new Set(state.ahead).add(version)
  let { shown } = state
  while (ahead.delete(shown + 1)) shown += 1
  return { shown, ahead, newest: Math.max(state.newest, version) }
}

/** There are counts of this version. The first ones are taken to be as old as the lists, which came just before. */
export function versionHeard(state: ReadVersion, version: number): ReadVersion {
  if (state.shown === null) return { ...state, shown: version, newest: version }
  return version <= state.newest ? state : { ...state, newest: version }
}

/** Counts that answer a change of our own, which is on screen. If others are between, only they can tell which is whose. */
export const ownChange = (state: ReadVersion, version: number): ReadVersion =>
  state.shown !== null && version === state.shown + 1 ? changeShown(state, version) : versionHeard(state, version)

/** Lists that were asked for when this version existed are on screen. */
export function listsShown(state: ReadVersion, version: number): ReadVersion {
  if (state.shown !== null && version <= state.shown) return state
  const ahead = new Set([...state.ahead].filter((other) => other > version))
  return { shown: version, ahead, newest: Math.max(state.newest, version) }
}

export const isBehind = ({ shown, newest }: ReadVersion): boolean => shown !== null && newest > shown
