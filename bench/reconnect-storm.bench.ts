// All connections are cut at once while publishing goes on, and come back: how long until everybody is whole again, how
// often each had to try, and whether anything was lost or came twice. With the usual admission, and without it beside a
// plain Node server (which cannot resume: there, whole means open and hearing the next event). Meanwhile the API is used.
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { round, spread } from './measure.ts'
import { Clients } from './sse/clients.ts'
import { printMark } from './sse/mark.ts'
import { startSignalFeed } from './sse/product.ts'
import { type System, startReference } from './sse/systems.ts'

export const summary = '10,000 connections dropped at once: time until all are whole, tries, losses, repeats'

const CONNECT_PER_SECOND = 1_000
const BEFORE = 20
const WHILE_DOWN = 20
const GOAL_TIMES_PLAIN = 2
/** What the product promises for events; the API is held to the same while the herd comes in. */
const API_SLO_MS = 500
const CALL_EVERY_MS = 200

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { connections: { type: 'string', default: '10000' }, admission: { type: 'string', default: '100' } },
  })
  const connections = Number(values.connections)
  const plain = await plainStorm(connections)
  console.error(`plain: ${JSON.stringify(plain)}`)
  const open = await storm(await startSignalFeed({ connections }), connections)
  console.error(`without admission: ${JSON.stringify(open)}`)
  const env = { SSE_ADMISSIONS_PER_SECOND: values.admission }
  const admitted = await storm(await startSignalFeed({ connections, env }), connections, Number(values.admission))
  const timesPlain = round(open.wholeSeconds / plain.wholeSeconds)
  return {
    connections,
    plain,
    signalFeedWithoutAdmission: open,
    signalFeedWithAdmission: { perSecond: Number(values.admission), ...admitted },
    goals: {
      recovery: { timesPlain, atMost: GOAL_TIMES_PLAIN, met: timesPlain <= GOAL_TIMES_PLAIN },
      nothingLostOrRepeated: [open, admitted].every(({ lost, repeated }) => lost === 0 && repeated === 0),
      apiMeanwhile: { p95Ms: admitted.api.p95, atMost: API_SLO_MS, met: admitted.api.p95 <= API_SLO_MS },
      tries: { each: admitted.triesEach, atMost: 2.2, met: admitted.triesEach <= 2.2 },
    },
  }
}

async function storm(system: System, connections: number, perSecond = CONNECT_PER_SECOND) {
  const clients = new Clients(connections, { ...system.reach, resume: true }, 2)
  try {
    await clients.connect(Math.min(CONNECT_PER_SECOND, perSecond * 0.95))
    let sent = 0
    const publish = () => system.publish(printMark(sent++))
    for (let i = 0; i < BEFORE; i++) await publish()
    const before = await clients.until(({ least }) => least >= sent)
    clients.drop()
    for (let i = 0; i < WHILE_DOWN; i++) await publish()
    const start = performance.now()
    clients.comeBack(sent)
    const callMs: number[] = []
    const call = async (ask: () => Promise<void>) => {
      const asked = performance.now()
      await ask()
      callMs.push(performance.now() - asked)
    }
    const calling = setInterval(() => {
      void call(publish)
      if (system.read) void call(system.read)
    }, CALL_EVERY_MS)
    const after = await clients.until(({ whole }) => whole === connections, 600_000)
    const wholeSeconds = (performance.now() - start) / 1_000
    clearInterval(calling)
    await wait(500)
    const end = await clients.until(({ least }) => least >= sent)
    return {
      wholeSeconds: round(wholeSeconds, 1),
      triesEach: round((after.attempts - before.attempts) / connections),
      published: sent,
      lost: sent * connections - end.delivered,
      repeated: end.repeated,
      /** Publishing and reading a page meanwhile. */
      api: { calls: callMs.length, ...spread(callMs) },
    }
  } finally {
    clients.stop()
    await system.stop()
  }
}

async function plainStorm(connections: number) {
  const system = await startReference('plain')
  const clients = new Clients(connections, system.reach, 2)
  try {
    await clients.connect(CONNECT_PER_SECOND)
    clients.drop()
    await clients.until(({ open }) => open === 0)
    const start = performance.now()
    clients.comeBack(0)
    await clients.until(({ open }) => open === connections)
    await system.publish(printMark(0))
    await clients.until(({ least }) => least >= 1)
    return { wholeSeconds: round((performance.now() - start) / 1_000, 1) }
  } finally {
    clients.stop()
    await system.stop()
  }
}
