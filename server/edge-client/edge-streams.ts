// The edge's topic streams over HTTP. The topic's `seq` travels as `Stream-Seq`, padded so that it sorts as text: the
// edge refuses what is not newer than what it has, which is how a repeat is known.
import type { EdgeStreams } from '#server/app/delivery-ports.ts'
import { AnswerFailure } from '#server/domain/delivery/failure.ts'

const SEQ_DIGITS = 16
const REQUEST_LIMIT_MS = 10_000
const JSON_TYPE = { 'content-type': 'application/json' }

export type EdgeTarget = { url: string; token: string | null; project: string }

export const edgeSeq = (seq: number): string => String(seq).padStart(SEQ_DIGITS, '0')

export function createEdgeStreams({ url, token, project }: EdgeTarget): EdgeStreams {
  const base = `${url.replace(/\/+$/, '')}/v1/${project}`
  const authorisation: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }

  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
    signal: AbortSignal,
  ) => {
    const answer = await fetch(base + path, {
      method,
      headers: { ...JSON_TYPE, ...authorisation, ...headers },
      redirect: 'manual',
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]),
    })
    await answer.body?.cancel()
    return answer.status
  }
  const host = new URL(url).host
  const check = (status: number) => {
    if (status < 200 || status >= 300) throw new AnswerFailure(status, `${status} from the edge at ${host}`)
  }

  return {
    async send(topicId, seq, body, signal) {
      const stream = `topic:${topicId}`
      const publish = () => ask('POST', `/publish/${stream}`, { 'stream-seq': edgeSeq(seq) }, body, signal)
      let status = await publish()
      if (status === 404) {
        // The topic's first event there.
        check(await ask('PUT', `/stream/${stream}`, {}, null, signal))
        status = await publish()
      }
      // It has this one, or a later one: sent before, by us or by whoever had the lease.
      if (status !== 409) check(status)
    },
  }
}
