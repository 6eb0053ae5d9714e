// The origin's beat, as readers of session streams hear it. The origin notes one for its project every few seconds while its
// log lives and all that is older has come to the edge; the project's directory remembers when. Readers are told its age,
// so a connection that is merely open cannot pass for a live one. Many readers of one Worker share an answer.
import { systemClock } from '#shared/clock.ts'
import { BEAT_KEPT_MS } from './core/tuning.ts'
import type { StreamsEnv } from './env.ts'

/** Null when there was none yet. */
export type AskBeat = () => Promise<number | null>

/** Values, not promises: what one request waits for cannot be waited for by another. */
const known = new Map<string, { untilMs: number; atMs: number | null }>()

export const noteBeat = (env: StreamsEnv, project: string, ageMs: number): Promise<void> =>
  env.DIRECTORY_DO.getByName(project).noteBeat(systemClock.now() - ageMs)

export function beatOf(env: StreamsEnv, project: string): AskBeat {
  return async () => {
    let beat = known.get(project)
    if (beat === undefined || systemClock.now() >= beat.untilMs) {
      const atMs = await env.DIRECTORY_DO.getByName(project).beatAtMs()
      beat = { untilMs: systemClock.now() + BEAT_KEPT_MS, atMs }
      known.set(project, beat)
    }
    return beat.atMs === null ? null : Math.max(0, systemClock.now() - beat.atMs)
  }
}
