// The ring of a project as this isolate knows it. It may be a little old: a shard that is asked for somebody else's actor
// says so, and then it is looked up again.
import { systemClock } from '#shared/clock.ts'
import type { RingView } from './core/ring.ts'
import type { HubEnv } from './env.ts'

const KEPT_MS = 10_000
const known = new Map<string, { view: RingView; untilMs: number }>()

export async function projectView(env: HubEnv, project: string, atLeast = 0): Promise<RingView> {
  const found = known.get(project)
  if (found !== undefined && found.untilMs > systemClock.now() && found.view.version >= atLeast) return found.view
  const view = await env.HUB_RING.getByName(project).view(project)
  known.set(project, { view, untilMs: systemClock.now() + KEPT_MS })
  return view
}
