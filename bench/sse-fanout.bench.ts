// What it costs the server to bring one event to one connection, at a rate and at saturation, for the whole product
// (publish → Postgres → Redis → socket) with and without its write window, beside Node writing ready bytes and the
// usual servers. CPU of the server's own processes divided by deliveries; ratios are taken within a round.
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median, round } from './measure.ts'
import { Clients } from './sse/clients.ts'
import { Histogram } from './sse/histogram.ts'
import { printMark } from './sse/mark.ts'
import { costOf } from './sse/process-cost.ts'
import { startSignalFeed } from './sse/product.ts'
import { hasNchan, type System, startReference } from './sse/systems.ts'

export const summary = 'server CPU per delivery, latency and memory, beside plain Node, better-sse, Socket.IO and Nchan'

const CONNECT_PER_SECOND = 1_000
/** At saturation: published but not yet with everybody. */
const IN_FLIGHT = 20

type Measured = { cpuMicroseconds: number; perSecond: number; p50: number; p99: number; kilobytesPerConnection: number }

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      connections: { type: 'string', default: '1000,5000' },
      rates: { type: 'string', default: '20,saturation' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '5' },
      systems: { type: 'string', default: 'plain,signal-feed-at-once,signal-feed,better-sse,socket-io,nchan' },
    },
  })
  const systems = values.systems.split(',').filter((name) => name !== 'nchan' || hasNchan())
  const results = []
  for (const connections of values.connections.split(',').map(Number)) {
    for (const rate of values.rates.split(',')) {
      const rounds: Record<string, Measured>[] = []
      for (let i = 0; i < Number(values.rounds); i++) {
        const measured: Record<string, Measured> = {}
        for (const name of systems) {
          measured[name] = await measure(name, connections, rate, Number(values.seconds))
          console.error(`${connections} × ${rate}, round ${i + 1}: ${name} ${JSON.stringify(measured[name])}`)
        }
        rounds.push(measured)
      }
      results.push({ connections, rate, systems: systems.map((name) => judge(name, rounds)) })
    }
  }
  return { nchan: hasNchan() ? 'measured' : 'not installed here', results }
}

function start(name: string, connections: number): Promise<System> {
  if (name === 'signal-feed') return startSignalFeed({ connections })
  if (name === 'signal-feed-at-once') return startSignalFeed({ connections, name, env: { SSE_WINDOW_MS: '0' } })
  return startReference(name as Parameters<typeof startReference>[0])
}

async function measure(name: string, connections: number, rate: string, seconds: number): Promise<Measured> {
  const system = await start(name, connections)
  const empty = costOf(system.pid, system.counted).residentBytes
  const clients = new Clients(connections, system.reach)
  try {
    await clients.connect(CONNECT_PER_SECOND)
    const full = costOf(system.pid, system.counted).residentBytes
    const publish = createPublisher(system, clients, rate)
    await publish(1)
    clients.measure(true)
    const before = { cost: costOf(system.pid, system.counted), report: await clients.report(), at: performance.now() }
    await publish(seconds)
    const report = await clients.report()
    const cpu = costOf(system.pid, system.counted).cpuSeconds - before.cost.cpuSeconds
    const delivered = report.delivered - before.report.delivered
    const latency = new Histogram(report.latency)
    return {
      cpuMicroseconds: round((cpu * 1e6) / delivered),
      perSecond: round(delivered / ((performance.now() - before.at) / 1_000), 0),
      p50: round(latency.quantile(0.5)),
      p99: round(latency.quantile(0.99)),
      kilobytesPerConnection: round((full - empty) / connections / 1_024, 1),
    }
  } finally {
    clients.stop()
    await system.stop()
  }
}

/** Publishes for some seconds and waits until everybody has everything. */
function createPublisher(system: System, clients: Clients, rate: string): (seconds: number) => Promise<void> {
  let sent = 0
  const publishOne = () => system.publish(printMark(sent++))
  return async (seconds) => {
    const until = performance.now() + seconds * 1_000
    if (rate === 'saturation') {
      while (performance.now() < until) {
        await Promise.all(Array.from({ length: IN_FLIGHT }, publishOne))
        const enough = sent - IN_FLIGHT
        await clients.until(({ least }) => least >= enough)
      }
    } else {
      const gapMs = 1_000 / Number(rate)
      const running: Promise<void>[] = []
      for (let at = performance.now(); at < until; at += gapMs) {
        await wait(Math.max(0, at - performance.now()))
        running.push(publishOne())
      }
      await Promise.all(running)
    }
    await clients.until(({ least }) => least >= sent)
  }
}

function judge(name: string, rounds: Record<string, Measured>[]) {
  const own = rounds.map((measured) => measured[name]!)
  const middle = (key: keyof Measured) => round(median(own.map((measured) => measured[key])))
  const times = (key: keyof Measured) => {
    const ratios = rounds.flatMap((measured) => (measured.plain ? [measured[name]![key] / measured.plain[key]] : []))
    return ratios.length > 0 ? round(median(ratios)) : null
  }
  return {
    name,
    cpuMicroseconds: middle('cpuMicroseconds'),
    cpuTimesPlain: times('cpuMicroseconds'),
    perSecond: middle('perSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    p99TimesPlain: times('p99'),
    kilobytesPerConnection: middle('kilobytesPerConnection'),
    memoryTimesPlain: times('kilobytesPerConnection'),
    runs: own.map(({ cpuMicroseconds }) => cpuMicroseconds),
  }
}
