// `npm run bench -- hub-broadcast [--sizes 100,1000,3000]`
// From the call to the last recipient, with somebody else sending heartbeats all the while.
import { parseArgs } from 'node:util'
import { startTestHub } from '#scripts/testing/hub.ts'
import { type Actor, connectCrowd } from './hub/crowd.ts'
import { median, quantile, round } from './measure.ts'

export const summary = 'Signal Hub: a broadcast of 1 KB to its last recipient, and what others notice of it'

const ROUNDS = 5
const PAYLOAD = 'x'.repeat(1_024)
const GOALS = { upTo100Ms: 100, tenThousandMs: 2_000, fiftyThousandMs: 15_000, stallMs: 50 }

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({ args, options: { sizes: { type: 'string' } } })
  const sizes = (values.sizes ?? '100,1000,3000').split(',').map(Number)
  const hub = await startTestHub()
  try {
    const actors: Actor[] = []
    const [prober] = await connectCrowd(hub.url, [{ actor: '@(bench/prober)' }])
    const results = []
    for (const size of sizes.toSorted((a, b) => a - b)) {
      const more = Array.from({ length: size - actors.length }, (_, n) => ({
        ...{ actor: `@(bench/${actors.length + n})`, capabilities: ['crowd'] },
      }))
      actors.push(...(await connectCrowd(hub.url, more)))
      const [quiet, rounds] = [await probe(prober!, 500), []] as [number[], { ms: number; probes: number[] }[]]
      for (let n = 0; n < ROUNDS; n++) rounds.push(await broadcastOnce(hub.post, actors, prober!))
      const ms = median(rounds.map((one) => one.ms))
      const probes = rounds.flatMap((one) => one.probes)
      results.push({
        ...{
          recipients: size,
          ms: round(ms),
          runs: rounds.map((one) => round(one.ms)),
          usEach: round((ms * 1_000) / size),
        },
        others: {
          quietP99Ms: round(quantile(quiet, 0.99)),
          p99Ms: round(quantile(probes, 0.99)),
          maxMs: round(Math.max(...probes)),
        },
      })
    }
    const perActorUs = results.at(-1)!.usEach
    const extrapolated = { tenThousandMs: round(perActorUs * 10, 0), fiftyThousandMs: round(perActorUs * 50, 0) }
    return { shards: 10, results, extrapolated, goals: GOALS }
  } finally {
    await hub.stop()
  }
}

async function broadcastOnce(post: (path: string, body: unknown) => Promise<Response>, actors: Actor[], prober: Actor) {
  let left = actors.length
  const everybody = new Promise<number>((resolve) => {
    for (const actor of actors)
      actor.onMessage = ({ type, payload }) => {
        if (type === 'hub:heartbeat') actor.say('hub:heartbeat', payload)
        if (type !== 'bench' || --left > 0) return
        resolve(performance.now())
      }
  })
  const started = performance.now()
  const probing = probe(prober, 300)
  await post('broadcast', { message: { type: 'bench', payload: PAYLOAD }, targetCapability: 'crowd' })
  return { ms: (await everybody) - started, probes: await probing }
}

/** How long others wait for an answer meanwhile: a heartbeat every ten milliseconds. */
async function probe(actor: Actor, forMs: number): Promise<number[]> {
  const [times, sent]: [number[], Map<string, number>] = [[], new Map()]
  actor.onMessage = ({ correlationId }) => {
    const at = sent.get(correlationId ?? '')
    if (at !== undefined) times.push(performance.now() - at)
  }
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    sent.set(actor.say('hub:heartbeat', {}), performance.now())
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await new Promise((resolve) => setTimeout(resolve, 300))
  return times
}
