// From publish to the client at a calm rate: what accounts, rights, Postgres and the log add to bare sockets.
import { parseArgs } from 'node:util'
import { median, round } from './measure.ts'
import { type Measured, measureSystem } from './sse/measure-system.ts'

export const summary = 'publish to client at 1,000 connections and 20 events a second, beside plain Node'

const GOAL = 1.5

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      connections: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '5' },
    },
  })
  const rounds: { plain: Measured; signalFeed: Measured }[] = []
  for (let i = 0; i < Number(values.rounds); i++) {
    const measure = (name: string) =>
      measureSystem(name, Number(values.connections), values.rate, Number(values.seconds))
    rounds.push({ plain: await measure('plain'), signalFeed: await measure('signal-feed') })
    console.error(`round ${i + 1}: ${JSON.stringify(rounds.at(-1))}`)
  }
  const middle = (name: 'plain' | 'signalFeed') =>
    Object.fromEntries(
      (['p50', 'p95', 'p99'] as const).map((key) => [key, round(median(rounds.map((r) => r[name][key])))]),
    )
  const p99TimesPlain = round(median(rounds.map(({ plain, signalFeed }) => signalFeed.p99 / plain.p99)))
  return {
    connections: Number(values.connections),
    rate: Number(values.rate),
    plain: middle('plain'),
    signalFeed: middle('signalFeed'),
    goal: { p99TimesPlain, atMost: GOAL, met: p99TimesPlain <= GOAL },
  }
}
