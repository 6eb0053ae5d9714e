// `npm run bench -- hub-reconnect [--actors 2000] [--window 10]`
// Every shard is cut off at once; everybody comes back within the window of their jitter, refused ones later.
import { parseArgs } from 'node:util'
import { startTestHub } from '#scripts/testing/hub.ts'
import { type Actor, connectCrowd, connectUntilIn } from './hub/crowd.ts'
import { quantile, round } from './measure.ts'

export const summary = 'Signal Hub: thousands of actors are cut off at once and come back'

const SHARDS = 10
/** Of the profile `production`. */
const [PER_SECOND, BURST] = [100, 100]

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({ args, options: { actors: { type: 'string' }, window: { type: 'string' } } })
  const [count, windowSeconds] = [Number(values.actors ?? 2_000), Number(values.window ?? 10)]
  const hub = await startTestHub({ HUB_PROFILE: 'production' })
  try {
    const wishes = Array.from({ length: count }, (_, n) => ({ actor: `@(bench/${n})` }))
    const actors = await connectCrowd(hub.url, wishes)
    const registeredBefore = await sum(hub, 'signal_hub_actors')
    const acceptedBefore = await accepted(hub)
    const cutAt = performance.now()
    for (let shard = 0; shard < SHARDS; shard++) await hub.evict(`signal-hub-shard-${shard}`, 'close')
    const [waits, tries, back]: [number[], number[], Actor[]] = [[], [], []]
    const rates: number[] = []
    let done = false
    const watching = (async () => {
      let [before, at] = [acceptedBefore, performance.now()]
      while (!done) {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        const [now, moment] = [await accepted(hub), performance.now()]
        const allowed = (moment - at) / 1_000
        for (const [shard, value] of now)
          rates.push((value - (before.get(shard) ?? 0)) / (BURST + PER_SECOND * allowed))
        ;[before, at] = [now, moment]
      }
    })()
    await Promise.all(
      actors.map(async ({ address, renewalToken }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * windowSeconds * 1_000))
        const result = await connectUntilIn(hub.url, { actor: address }, renewalToken)
        waits.push(performance.now() - cutAt)
        tries.push(result.tries)
        back.push(result.actor)
      }),
    )
    done = true
    await watching
    const registered = await sum(hub, 'signal_hub_actors')
    return {
      ...{ actors: count, windowSeconds, cameBack: back.length, registeredBefore, registered },
      ...{ lostRegistrations: count - back.length, allBackSeconds: round(Math.max(...waits) / 1_000) },
      backP50Seconds: round(quantile(waits, 0.5) / 1_000),
      tries: { mean: round(tries.reduce((a, b) => a + b, 0) / tries.length), max: Math.max(...tries) },
      /** Of what a shard's bucket allows in the same time; above 1 it would leak. */
      highestShareOfTheBucket: round(Math.max(...rates)),
      reconnections: await sum(hub, 'signal_hub_reconnections_total'),
    }
  } finally {
    await hub.stop()
  }
}

async function lines(hub: { url: string }, name: string): Promise<string[]> {
  const text = await (await fetch(`${hub.url}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes('project="acme"'))
}

const lineValue = (line: string): number => Number(line.split(' ').at(-1))

const sum = async (hub: { url: string }, name: string): Promise<number> =>
  (await lines(hub, name)).map(lineValue).reduce((a, b) => a + b, 0)

async function accepted(hub: { url: string }): Promise<Map<string, number>> {
  const found = (await lines(hub, 'signal_hub_connection_attempts_total')).filter((line) => line.includes('accepted'))
  return new Map(found.map((line) => [/shard="([^"]+)"/.exec(line)![1]!, lineValue(line)]))
}
