// Very many open connections on one machine: several server processes behind one port, several client processes on
// several addresses. Then one event to all of them.
import { parseArgs } from 'node:util'
import { round } from './measure.ts'
import { Clients } from './sse/clients.ts'
import { Histogram } from './sse/histogram.ts'
import { printMark } from './sse/mark.ts'
import { costOf } from './sse/process-cost.ts'
import { startSignalFeed } from './sse/product.ts'

export const summary = '100,000 open connections on this machine, and one event to all of them'

const PER_PROCESS = 12_500
const BROADCASTS = 5
const GOAL_MS = 2_000

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      connections: { type: 'string', default: '100000' },
      'connect-rate': { type: 'string', default: '1500' },
    },
  })
  const connections = Number(values.connections)
  const processes = Math.ceil(connections / PER_PROCESS)
  const env = processes > 1 ? { WORKERS: String(processes) } : {}
  const system = await startSignalFeed({ connections, env })
  const clients = new Clients(connections, { ...system.reach, localAddresses: processes }, processes)
  try {
    const empty = costOf(system.pid, system.counted).residentBytes
    const start = performance.now()
    await clients.connect(Number(values['connect-rate']))
    const connectedMs = performance.now() - start
    const full = costOf(system.pid, system.counted).residentBytes
    console.error(`${connections} are open after ${round(connectedMs / 1_000, 1)} s`)
    const lastMs: number[] = []
    for (let i = 0; i < BROADCASTS; i++) {
      clients.measure(true)
      await system.publish(printMark(i))
      const report = await clients.until(({ least }) => least > i)
      lastMs.push(round(new Histogram(report.latency).quantile(0.99999), 0))
    }
    const { repeated, delivered } = await clients.report()
    return {
      connections,
      serverProcesses: processes,
      connectSeconds: round(connectedMs / 1_000, 1),
      kilobytesPerConnection: round((full - empty) / connections / 1_024, 1),
      broadcast: { lastMs, delivered, repeated },
      goal: { lastMs: Math.max(...lastMs), atMost: GOAL_MS, met: Math.max(...lastMs) <= GOAL_MS },
    }
  } finally {
    clients.stop()
    await system.stop()
  }
}
