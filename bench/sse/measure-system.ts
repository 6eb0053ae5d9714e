// One server under one load: starts it, connects the simulated browsers, publishes, and says what it cost.
import { setTimeout as wait } from 'node:timers/promises'
import { round } from '../measure.ts'
import { Clients } from './clients.ts'
import { Histogram } from './histogram.ts'
import { printMark } from './mark.ts'
import { costOf } from './process-cost.ts'
import { startSignalFeed } from './product.ts'
import { type System, startReference } from './systems.ts'

const CONNECT_PER_SECOND = 1_000
/** At saturation: published but not yet with everybody. */
const IN_FLIGHT = 20
/** A server that has just started runs code that is not compiled yet: every system first gets so many events, to nobody. */
const WARM_UP_EVENTS = 5_000
/** What the warm-up leaves to be done behind it. */
const SETTLE_MS = 2_000
/** Until the sockets have found their pace. */
const WARM_UP_SECONDS = 2

export type Measured = {
  cpuMicroseconds: number
  perSecond: number
  p50: number
  p95: number
  p99: number
  kilobytesPerConnection: number
}

/** `rate` in events per second, or `saturation`. */
export async function measureSystem(
  name: string,
  connections: number,
  rate: string,
  seconds: number,
): Promise<Measured> {
  const system = await start(name, connections)
  await warmUp(system)
  const empty = costOf(system.pid, system.counted).residentBytes
  const clients = new Clients(connections, system.reach)
  try {
    await clients.connect(CONNECT_PER_SECOND)
    const full = costOf(system.pid, system.counted).residentBytes
    const publish = createPublisher(system, clients, rate)
    await publish(WARM_UP_SECONDS)
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
      p95: round(latency.quantile(0.95)),
      p99: round(latency.quantile(0.99)),
      kilobytesPerConnection: round((full - empty) / connections / 1_024, 1),
    }
  } finally {
    clients.stop()
    await system.stop()
  }
}

function start(name: string, connections: number): Promise<System> {
  if (name === 'signal-feed') return startSignalFeed({ connections })
  if (name === 'signal-feed-at-once') return startSignalFeed({ connections, name, env: { SSE_WINDOW_MS: '0' } })
  return startReference(name as Parameters<typeof startReference>[0])
}

async function warmUp(system: System): Promise<void> {
  for (let sent = 0; sent < WARM_UP_EVENTS; sent += IN_FLIGHT)
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => system.publish('warming up')))
  await wait(SETTLE_MS)
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
