// Publishes something plausible every few seconds, through the same door as everybody, so that a newcomer sees the feed
// move. Only where the configuration asks for it; anybody signed in can pause it.
import type { PeopleStore } from '#server/app/ports.ts'
import type { PublishActivity } from '#server/app/publish-activity.ts'
import type { Random } from '#shared/clock.ts'
import { type Story, tellStory } from './stories.ts'

/** Often enough to be seen within a minute, rare enough to read. */
const BOT_INTERVAL_MS = 4_000

export type DemoBot = {
  start: () => void
  stop: () => void
  running: () => boolean
  setRunning: (running: boolean) => void
}

type Deps = {
  publish: PublishActivity['publish']
  people: Pick<PeopleStore, 'byHandle'>
  random: Random
  onError: (error: unknown) => void
}

export function createDemoBot(deps: Deps): DemoBot {
  let timer: NodeJS.Timeout | null = null
  let running = true
  return {
    start() {
      timer ??= setInterval(() => {
        if (running) publishStory(deps, tellStory(deps.random)).catch(deps.onError)
      }, BOT_INTERVAL_MS)
    },
    stop() {
      if (timer) clearInterval(timer)
      timer = null
    },
    running: () => running,
    setRunning(value) {
      running = value
    },
  }
}

export async function publishStory(
  { publish, people }: Pick<Deps, 'publish' | 'people'>,
  { by, input }: Story,
): Promise<void> {
  if ('tool' in by) {
    const id = by.tool.toLowerCase()
    await publish({ actor: { kind: 'tool', id, name: by.tool }, source: id, scope: `tool:${id}` }, input)
    return
  }
  const person = await people.byHandle(by.person)
  if (person)
    await publish({ actor: { kind: 'person', ...person }, source: 'demo', scope: `person:${person.id}` }, input)
}
