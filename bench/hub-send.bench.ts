// `npm run bench -- hub-send [--pairs 40] [--rate 1000] [--seconds 5]`
// From one actor to another over ten shards, at a steady rate, beside heartbeats and a Worker that only echoes.
import { parseArgs } from 'node:util'
import { startTestHub } from '#scripts/testing/hub.ts'
import { type Actor, connectCrowd, startEcho } from './hub/crowd.ts'
import { quantile, round } from './measure.ts'

export const summary = 'Signal Hub: time of a message from actor to actor at a steady rate, against a bare echo'

const GOALS = { sendP50Ms: 10, sendP99Ms: 200, heartbeatP50Ms: 10, heartbeatP99Ms: 50 }
const TICK_MS = 10

const figures = (times: number[]) => ({
  ...{ count: times.length, p50Ms: round(quantile(times, 0.5)), p99Ms: round(quantile(times, 0.99)) },
  maxMs: round(Math.max(...times)),
})

/** Calls `act(n)` so often a second, in small portions. */
async function paced(rate: number, seconds: number, act: (n: number) => void): Promise<void> {
  const started = performance.now()
  let done = 0
  while (done < rate * seconds) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - started) / 1_000) * rate))
    for (; done < due; done++) act(done)
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { pairs: { type: 'string' }, rate: { type: 'string' }, seconds: { type: 'string' } },
  })
  const [pairs, rate, seconds] = [Number(values.pairs ?? 40), Number(values.rate ?? 1_000), Number(values.seconds ?? 5)]
  const hub = await startTestHub()
  const echo = await startEcho()
  try {
    const wishes = Array.from({ length: pairs * 2 }, (_, n) => ({ actor: `@(bench/${n})` }))
    const actors = await connectCrowd(hub.url, wishes)
    const [senders, targets] = [actors.slice(0, pairs), actors.slice(pairs)]
    const result = {
      tell: figures(await measureSends(senders, targets, rate, seconds, 'tell')),
      ask: figures(await measureSends(senders, targets, rate, seconds, 'ask')),
      heartbeat: figures(await measureHeartbeats(senders, rate, seconds)),
      echo: figures(await measureEcho(await Promise.all(senders.map(() => echo.open())), rate, seconds)),
    }
    const { tell, ask, heartbeat } = result
    return {
      ...{ pairs, rate, seconds, shards: 10, ...result },
      timesEcho: { tell: round(tell.p50Ms / result.echo.p50Ms), ask: round(ask.p50Ms / result.echo.p50Ms) },
      goals: GOALS,
      met: {
        send: Math.max(tell.p50Ms, ask.p50Ms) < GOALS.sendP50Ms && Math.max(tell.p99Ms, ask.p99Ms) < GOALS.sendP99Ms,
        heartbeat: heartbeat.p50Ms < GOALS.heartbeatP50Ms && heartbeat.p99Ms < GOALS.heartbeatP99Ms,
      },
    }
  } finally {
    await echo.stop()
    await hub.stop()
  }
}

async function measureSends(
  senders: Actor[],
  targets: Actor[],
  rate: number,
  seconds: number,
  pattern: 'tell' | 'ask',
) {
  const times: number[] = []
  for (const target of targets)
    target.onMessage = ({ type, payload, id, from }) => {
      if (type === 'hub:heartbeat') return void target.say('hub:heartbeat', payload)
      if (type !== 'bench') return
      times.push(performance.now() - (payload as number))
      if (pattern === 'ask') target.say('hub:ack', { messageId: id, from })
    }
  await paced(rate, seconds, (n) => {
    const [sender, target] = [senders[n % senders.length]!, targets[n % targets.length]!]
    const message = { type: 'bench', payload: performance.now() }
    sender.say('hub:send', { targetAddress: target.address, message }, { pattern })
  })
  return times
}

async function measureHeartbeats(actors: Actor[], rate: number, seconds: number) {
  const [times, sent]: [number[], Map<string, number>] = [[], new Map()]
  for (const actor of actors)
    actor.onMessage = ({ correlationId }) => {
      const at = sent.get(correlationId ?? '')
      if (at !== undefined) times.push(performance.now() - at)
    }
  await paced(rate, seconds, (n) => sent.set(actors[n % actors.length]!.say('hub:heartbeat', {}), performance.now()))
  return times
}

async function measureEcho(sockets: WebSocket[], rate: number, seconds: number) {
  const times: number[] = []
  for (const socket of sockets)
    socket.addEventListener('message', ({ data }) => times.push(performance.now() - Number(data)))
  await paced(rate, seconds, (n) => sockets[n % sockets.length]!.send(String(performance.now())))
  for (const socket of sockets) socket.close()
  return times
}
