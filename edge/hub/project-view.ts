// The ring of a project as this isolate knows it. It may be a little old: a shard that is asked for what belongs elsewhere
// sends it on.
import { systemClock } from '#shared/clock.ts'
import type { RingView } from './core/ring.ts'
import type { HubEnv } from './env.ts'
import type { RingRpc } from './rpc.ts'

const KEPT_MS = 10_000
const known = new Map<string, { view: RingView; untilMs: number }>()

export async function projectView(env: HubEnv, project: string): Promise<RingView> {
  const found = known.get(project)
  if (found !== undefined && found.untilMs > systemClock.now()) return found.view
  const view = await ringOf(env, project).view(project)
  known.set(project, { view, untilMs: systemClock.now() + KEPT_MS })
  return view
}

export const ringOf = (env: HubEnv, project: string): RingRpc => env.HUB_RING.getByName(project) as unknown as RingRpc
