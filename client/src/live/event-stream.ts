// One server-sent event stream over fetch. Native EventSource shows no status, obeys no Retry-After and gives up on the
// first answer that is not 200. Reports what happened once; whether to try again is the ladder's decision.
// A watchdog notices a connection that went silent: the browser itself never does.
import { createParser } from 'eventsource-parser'
import { retryAfterMs } from './retry-after.ts'
import type { Trouble } from './rung.ts'

/** Three beats of the server. */
export const SILENCE_MS = 45_000

export type StreamEvent = { event: string; id: string | undefined; data: string }

export type StreamHandlers = {
  onOpen: () => void
  onEvent: (event: StreamEvent) => void
  /** At most once, and never after `close`. `signed-out` is final. */
  onEnd: (trouble: Trouble | 'signed-out', retryAfterMs: number | null) => void
}

export type Timers = { set: (run: () => void, ms: number) => unknown; clear: (timer: unknown) => void }

type Options = StreamHandlers & {
  url: string
  lastEventId: string | null
  headers?: Record<string, string>
  fetch: typeof fetch
  timers: Timers
  now: () => number
}

/** Returns the way to close it. */
export function openEventStream(options: Options): { close: () => void; isSilent: () => boolean } {
  const abort = new AbortController()
  let ended = false
  let heardAt = options.now()
  let watchdog: unknown

  function end(trouble: Trouble | 'signed-out', waitMs: number | null = null) {
    if (ended) return
    close()
    options.onEnd(trouble, waitMs)
  }
  function close() {
    ended = true
    options.timers.clear(watchdog)
    abort.abort()
  }
  function heard() {
    heardAt = options.now()
    options.timers.clear(watchdog)
    watchdog = options.timers.set(() => end({ kind: 'silent' }), SILENCE_MS)
  }

  async function run() {
    heard()
    const headers: Record<string, string> = { accept: 'text/event-stream', ...options.headers }
    if (options.lastEventId !== null) headers['last-event-id'] = options.lastEventId
    const answer = await options.fetch(options.url, { headers, cache: 'no-store', signal: abort.signal })
    if (ended) return
    if (answer.status === 401) return end('signed-out')
    if (!answer.ok || !answer.body) {
      const wait = retryAfterMs(answer.headers.get('retry-after'), options.now())
      return end({ kind: 'status', status: answer.status }, wait)
    }
    heard()
    options.onOpen()
    const parser = createParser({
      onEvent: ({ event, id, data }) => {
        if (!ended) options.onEvent({ event: event ?? 'message', id, data })
      },
    })
    const text = answer.body.pipeThrough(new TextDecoderStream())
    for await (const chunk of readAll(text)) {
      if (ended) return
      heard()
      parser.feed(chunk)
    }
    end({ kind: 'closed' })
  }

  run().catch(() => end({ kind: 'network' }))
  return { close, isSilent: () => options.now() - heardAt >= SILENCE_MS }
}

/** Not every browser can iterate a stream by itself. */
async function* readAll(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    yield value
  }
}
