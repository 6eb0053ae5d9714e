// What an append costs its writer when the stream is short and when it is long, beside the protocol's reference server.
import { parseArgs } from 'node:util'
import { append, makeStream, startStreamServers } from './edge/systems.ts'
import { median, quantile, round } from './measure.ts'

export const summary = 'append to a stream of 1k and of 1M messages, beside the reference server'

/** Messages of one filling request: a list, which the protocol stores as single messages. */
const FILL = 20_000
const message = (n: number) => JSON.stringify({ n, text: 'x'.repeat(100) })

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { long: { type: 'string', default: '1000000' }, appends: { type: 'string', default: '300' } },
  })
  const lengths = [1_000, Number(values.long)]
  const servers = await startStreamServers()
  try {
    const found: Record<string, Record<string, { p50: number; p95: number }>> = {}
    for (const { name, address } of servers) {
      found[name] = {}
      for (const length of lengths) {
        const stream = address(`filled-${length}`)
        await makeStream(stream)
        for (let at = 0; at < length; at += FILL)
          await append(
            stream,
            `[${Array.from({ length: Math.min(FILL, length - at) }, (_, n) => message(at + n)).join()}]`,
          )
        for (let n = 0; n < 50; n++) await append(stream, message(n))
        const took: number[] = []
        for (let n = 0; n < Number(values.appends); n++) took.push(await append(stream, message(n)))
        found[name][length] = { p50: round(median(took)), p95: round(quantile(took, 0.95)) }
        console.error(name, length, found[name][length])
      }
    }
    const growth = round(found.edge![lengths[1]!]!.p50 / found.edge![lengths[0]!]!.p50)
    return { milliseconds: found, goal: { longOverShort: growth, atMost: 1.5, met: growth <= 1.5 } }
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}
