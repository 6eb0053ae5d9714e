// Idempotent producers (protocol §5.2.1): a producer numbers its requests within an epoch, so that a repeated request is
// recognised and an older incarnation of the same producer is shut out.
import { type Refusal, refuse } from './refusal.ts'

export type ProducerState = { epoch: number; seq: number }
export type ProducerStamp = { id: string; epoch: number; seq: number }

export type ProducerVerdict = { verdict: 'accept' } | { verdict: 'duplicate'; seq: number } | Refusal

const NUMBER = /^(0|[1-9]\d*)$/
const MAX_ID_CHARS = 256

/** Null when the request has no producer; all three headers or none. */
export function parseStamp(header: (name: string) => string | null): ProducerStamp | Refusal | null {
  const [id, epochText, seqText] = [header('Producer-Id'), header('Producer-Epoch'), header('Producer-Seq')]
  if (id === null && epochText === null && seqText === null) return null
  if (id === null || epochText === null || seqText === null)
    return refuse(400, 'Producer-Id, Producer-Epoch and Producer-Seq belong together')
  if (id === '' || id.length > MAX_ID_CHARS) return refuse(400, `Producer-Id must have 1 to ${MAX_ID_CHARS} characters`)
  const epoch = wholeNumber(epochText)
  const seq = wholeNumber(seqText)
  if (epoch === null) return refuse(400, 'Producer-Epoch must be a whole number')
  if (seq === null) return refuse(400, 'Producer-Seq must be a whole number')
  return { id, epoch, seq }
}

export function judgeStamp(state: ProducerState | null, { epoch, seq }: ProducerStamp): ProducerVerdict {
  if (state === null) return seq === 0 ? { verdict: 'accept' } : gap(0, seq)
  if (epoch < state.epoch)
    return refuse(403, 'a newer epoch of this producer writes here', { 'Producer-Epoch': String(state.epoch) })
  if (epoch > state.epoch)
    return seq === 0 ? { verdict: 'accept' } : refuse(400, 'a new epoch must start with Producer-Seq 0')
  if (seq <= state.seq) return { verdict: 'duplicate', seq: state.seq }
  return seq === state.seq + 1 ? { verdict: 'accept' } : gap(state.seq + 1, seq)
}

const gap = (expected: number, received: number): Refusal =>
  refuse(409, 'requests of this producer are missing', {
    'Producer-Expected-Seq': String(expected),
    'Producer-Received-Seq': String(received),
  })

function wholeNumber(text: string): number | null {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}
