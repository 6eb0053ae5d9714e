// The stream of this browser's session at the edge. Owns the session (asked for at the server, which looks at rights), its
// token (renewed in good time), and the place in the stream. The edge ends every connection after a minute, as its
// protocol wants; going on from there is part of being open and nobody's failure.
import type { Random } from '#shared/clock.ts'
import type { EdgeSession } from '#shared/edge-session.ts'
import { readEdgeItem } from './edge-event.ts'
import { openEventStream, type StreamEvent, type Timers } from './event-stream.ts'
import type { LiveEvent } from './live-event.ts'
import type { Trouble } from './rung.ts'

/** Before the token ends: longer than a connection lasts, so that each begins with a token that outlives it. */
export const RENEW_EARLY_MS = 90_000

export type AskedSession = EdgeSession | 'signed-out' | 'failed'
export type Ready = Extract<EdgeSession, { state: 'ready' }>

/** Kept between openings, and its id between visits. */
export type KeptSession = { id: string | null; offset: string | null }

type Options = {
  ask: (known: string | null) => Promise<AskedSession>
  kept: KeptSession
  keep: (kept: KeptSession) => void
  fetch: typeof fetch
  timers: Timers
  now: () => number
  random: Random
  onOpen: () => void
  onBeat: (beatAgeMs: number | null) => void
  onEvent: (event: LiveEvent) => void
  /** Something may be missing that the server can tell: after a new beginning, for what the edge lacks, now and then. */
  onDoubt: () => void
  onOff: () => void
  onEnd: (trouble: Trouble | 'signed-out') => void
}

export function openEdgeStream(options: Options): { close: () => void; isSilent: () => boolean } {
  const { timers, now } = options
  let { kept } = options
  let session: Ready | null = null
  let stream: ReturnType<typeof openEventStream> | null = null
  let renewal: unknown
  let ended = false
  let opened = false
  /** Whether this connection has told anything; one after the other that does not is an edge that does not work. */
  let told = false
  /** Another session was asked for because this one was refused, and nothing has come of it yet. */
  let renewing = false

  function close() {
    ended = true
    timers.clear(renewal)
    stream?.close()
  }
  function end(trouble: Trouble | 'signed-out') {
    if (ended) return
    close()
    options.onEnd(trouble)
  }
  function keep(next: KeptSession) {
    kept = next
    options.keep(next)
  }

  /** Null when it cannot be had; then everything has been said. */
  async function ask(): Promise<Ready | null> {
    const answer = await options.ask(kept.id)
    if (ended) return null
    if (answer === 'signed-out') end(answer)
    else if (answer === 'failed') end({ kind: 'network' })
    else if (answer.state === 'down') end({ kind: 'status', status: 503 })
    else if (answer.state === 'off') {
      close()
      options.onOff()
    } else {
      const isElsewhere = answer.fresh || answer.id !== kept.id
      if (isElsewhere || kept.offset === null) {
        const hadPlace = kept.offset !== null
        keep({ id: answer.id, offset: answer.offset })
        // Between our place in the old stream and the beginning of the new one something may have come.
        if (hadPlace) options.onDoubt()
      }
      timers.clear(renewal)
      const early = RENEW_EARLY_MS * (1 + options.random() / 2)
      renewal = timers.set(() => void renew(), Math.max(0, answer.expiresInMs - early))
      return answer
    }
    return null
  }

  async function renew() {
    const before = session?.id
    session = await ask()
    if (session === null) return
    // The stream reads on with the token it began with; only another one has to be begun.
    if (session.fresh || session.id !== before) begin()
    options.onDoubt()
  }

  function begin() {
    if (session === null) return
    stream?.close()
    told = false
    const query = new URLSearchParams({ offset: kept.offset ?? session.offset, live: 'sse', beat: 'true' })
    stream = openEventStream({
      url: `${session.url}?${query}`,
      lastEventId: null,
      headers: { authorization: `Bearer ${session.token}` },
      ...{ fetch: options.fetch, timers, now },
      onOpen: () => {
        if (!opened) options.onOpen()
        opened = true
      },
      onEvent: hear,
      onEnd: (trouble) => void goOn(trouble),
    })
  }

  function hear({ event, data }: StreamEvent) {
    told = true
    renewing = false
    if (event === 'beat') options.onBeat((JSON.parse(data) as { beatAgeMs: number | null }).beatAgeMs)
    else if (event === 'control') {
      const { streamNextOffset } = JSON.parse(data) as { streamNextOffset?: string }
      if (streamNextOffset !== undefined) keep({ ...kept, offset: streamNextOffset })
    } else if (event === 'data')
      for (const item of JSON.parse(data) as unknown[]) {
        const heard = readEdgeItem(item)
        if (heard === 'gone') options.onDoubt()
        else if (heard !== null && !ended) options.onEvent(heard)
      }
  }

  async function goOn(trouble: Trouble | 'signed-out') {
    if (ended) return
    const isOver = trouble !== 'signed-out' && trouble.kind === 'closed' && told
    // Its minute is over: on from where we are.
    if (isOver) return begin()
    const status = trouble === 'signed-out' ? 401 : trouble.kind === 'status' ? trouble.status : null
    // The token, the session or our place in it does not count any more: once, we ask for another.
    const another = status !== null && [400, 401, 403, 404, 410].includes(status) && session !== null
    if (!another || renewing) return end(trouble === 'signed-out' ? { kind: 'status', status: 401 } : trouble)
    renewing = true
    keep({ id: kept.id, offset: null })
    session = await ask()
    if (session === null) return
    begin()
    options.onDoubt()
  }

  void ask().then((first) => {
    session = first
    begin()
  })
  return { close, isSilent: () => stream?.isSilent() ?? false }
}
