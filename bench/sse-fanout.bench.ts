// What it costs the server to bring one event to one connection, at a rate and at saturation, for the whole product
// (publish → Postgres → Redis → socket) with and without its write window, beside Node writing ready bytes and the
// usual servers. CPU of the server's own processes divided by deliveries; ratios are taken within a round.
import { parseArgs } from 'node:util'
import { median, round } from './measure.ts'
import { type Measured, measureSystem } from './sse/measure-system.ts'
import { hasNchan } from './sse/systems.ts'

export const summary = 'server CPU per delivery, latency and memory, beside plain Node, better-sse, Socket.IO and Nchan'

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
          measured[name] = await measureSystem(name, connections, rate, Number(values.seconds))
          console.error(`${connections} × ${rate}, round ${i + 1}: ${name} ${JSON.stringify(measured[name])}`)
        }
        rounds.push(measured)
      }
      results.push({ connections, rate, systems: systems.map((name) => judge(name, rounds)) })
    }
  }
  return { nchan: hasNchan() ? 'measured' : 'not installed here', results }
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
