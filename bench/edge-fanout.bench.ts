// One publish to a topic with many sessions: how long the publisher waits, and how long until the last session has it.
// The reference server has nothing like sessions, so there is nothing to put beside it.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { TEST_KEYS } from '#scripts/testing/edge-tokens.ts'
import { median, round } from './measure.ts'

export const summary = 'one publish to 1,000 and 4,000 sessions, to the last of them'

/** Requests under way at once while sessions are made and looked at. */
const AT_ONCE = 20
const TRIES = 10
const GOAL_MS = 10_000
const LOOK_EVERY_MS = 20

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { sessions: { type: 'string', default: '1000,4000' }, publishes: { type: 'string', default: '3' } },
  })
  const edge = await startTestEdge({ EDGE_PROJECT_KEYS: TEST_KEYS })
  try {
    const caller = await edgeCaller(edge.url)
    const found: Record<string, unknown> = {}
    let slowest = 0
    for (const count of values.sessions.split(',').map(Number)) {
      const figures = await fanout(caller, edge.url, count, Number(values.publishes))
      found[count] = figures
      slowest = Math.max(slowest, ...figures.warmMs)
      console.error(count, figures)
    }
    return { found, goal: { slowestWarmMs: slowest, atMost: GOAL_MS, met: slowest <= GOAL_MS } }
  } finally {
    await edge.stop()
  }
}

async function fanout(caller: EdgeCaller, url: string, count: number, publishes: number) {
  const source = await caller.topic()
  const sessions = Array.from({ length: count }, () => randomUUID())
  await each(sessions, (id) => subscribeSurely(caller, id, source))
  const answered: number[] = []
  const reached: number[] = []
  for (let n = 0; n <= publishes; n++) {
    const before = await settled(url)
    const startedMs = performance.now()
    const answer = await caller.publish(source, { n })
    answered.push(performance.now() - startedMs)
    if (!answer.ok) throw new Error(`not published: ${answer.status}`)
    // The Worker counts a session when its write has been answered: nothing has to be asked of the sessions meanwhile.
    while ((await settled(url)) < before + count) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    reached.push(performance.now() - startedMs)
  }
  // What was counted is there.
  await each(sessions.slice(-100), async (id) => {
    const items = await caller.items(id)
    if (!Array.isArray(items) || items.length !== publishes + 1) throw new Error('a session misses something')
  })
  const [first = 0, ...warm] = reached
  return {
    answeredMs: round(median(answered)),
    firstMs: round(first, 0),
    warmMs: warm.map((ms) => round(ms, 0)),
    perSecond: round((count / median(warm)) * 1_000, 0),
  }
}

/** The proxy of `wrangler dev` drops requests under load; subscribing again does no harm. */
async function subscribeSurely(caller: EdgeCaller, id: string, source: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { status } = await caller.subscribe(id, source)
    if (status === 200) return
    console.error('not subscribed:', status)
  }
  throw new Error(`not subscribed in ${TRIES} tries`)
}

/** Sessions that fan-out through the queue has reached so far, over all publishes. */
async function settled(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^subscriptions_items_total\{event="fanout",detail="queued"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

async function each<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
