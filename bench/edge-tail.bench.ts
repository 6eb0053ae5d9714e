// From the moment an append is sent to the moment one SSE reader of the stream has it, beside the reference server.
import { parseArgs } from 'node:util'
import { append, makeStream, type StreamServer, startStreamServers } from './edge/systems.ts'
import { median, quantile, round } from './measure.ts'

export const summary = 'append → one SSE reader, beside the reference server'

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { appends: { type: 'string', default: '400' }, rounds: { type: 'string', default: '3' } },
  })
  const servers = await startStreamServers()
  try {
    const found: Record<string, number[]> = { edge: [], reference: [] }
    for (let at = 0; at < Number(values.rounds); at++)
      for (const server of servers) {
        const took = await tail(server, `tail-${at}`, Number(values.appends))
        found[server.name]!.push(...took)
        console.error(server.name, round(median(took)), 'ms')
      }
    const figures = Object.entries(found).map(([name, took]) => [
      name,
      { p50: round(median(took)), p99: round(quantile(took, 0.99)) },
    ])
    return { milliseconds: Object.fromEntries(figures) }
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}

async function tail({ address }: StreamServer, id: string, appends: number): Promise<number[]> {
  const stream = address(id)
  await makeStream(stream)
  const stop = new AbortController()
  const answer = await fetch(`${stream}?offset=-1&live=sse`, { signal: stop.signal })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  const took: number[] = []
  let text = ''
  for (let n = 0; n < appends; n++) {
    const startedMs = performance.now()
    const sent = append(stream, JSON.stringify({ n }))
    while (!text.includes(`"n":${n}}`)) {
      const { done, value } = await reader.read()
      if (done) throw new Error('the reader was cut off')
      text += value
    }
    took.push(performance.now() - startedMs)
    text = ''
    await sent
  }
  stop.abort()
  return took
}
