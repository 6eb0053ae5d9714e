// Which tab of a person holds the connection: the one that holds a Web Lock. The browser gives it to the next in line
// when its holder is closed or crashes. Messages go over a BroadcastChannel. Where a browser lacks either, every tab
// leads itself. What the tabs say to each other is not this file's business.
import type { TabMessage } from './tab-messages.ts'

export type Channel = { post: (message: TabMessage) => void; close: () => void }

/** The part of the browser that is needed. */
export type TabsPlatform = {
  locks: Pick<LockManager, 'request'>
  openChannel: (name: string, onMessage: (message: TabMessage) => void) => Channel
}

export type TabsHandlers = {
  /** This tab has the connection from now on. */
  onLead: () => void
  /** Another one has it, or will have it in a moment. */
  onFollow: () => void
  onMessage: (message: TabMessage) => void
}

export type Tabs = ReturnType<typeof createTabs>

/** `name` must tell people apart: what one of them may see is not for the next. */
export function createTabs(platform: TabsPlatform | null, name: string, handlers: TabsHandlers) {
  let channel: Channel | null = null
  /** The request for the lock that counts; all others are over or about to be. */
  let turn: { abort: AbortController; release: () => void; stolen: boolean } | null = null

  async function stand(locks: TabsPlatform['locks'], steal: boolean) {
    const abort = new AbortController()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const mine = { abort, release, stolen: steal }
    turn = mine
    try {
      await locks.request(name, steal ? { steal } : { signal: abort.signal }, () => {
        if (turn !== mine) return
        mine.stolen = false
        handlers.onLead()
        return held
      })
    } catch (error) {
      // We withdrew, or another tab took the lock from us. Anything else will not get better by asking again: a browser
      // may have locks and forbid them.
      if (turn === mine && !isAbort(error)) return handlers.onLead()
    }
    if (turn !== mine) return
    handlers.onFollow()
    void stand(locks, false)
  }

  function withdraw() {
    const last = turn
    turn = null
    last?.abort.abort()
    last?.release()
  }

  return {
    join() {
      if (turn !== null || channel !== null) return
      if (platform === null) return handlers.onLead()
      channel = platform.openChannel(name, handlers.onMessage)
      handlers.onFollow()
      void stand(platform.locks, false)
    },
    /** Takes the office from a tab that does not fulfil it. */
    steal() {
      if (platform === null || turn?.stolen) return
      withdraw()
      void stand(platform.locks, true)
    },
    /** Gives up the office or the place in the line. */
    leave() {
      withdraw()
      channel?.close()
      channel = null
    },
    post: (message: TabMessage) => channel?.post(message),
  }
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

export function browserTabs(): TabsPlatform | null {
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return null
  return {
    locks: navigator.locks,
    openChannel(name, onMessage) {
      const channel = new BroadcastChannel(name)
      channel.onmessage = ({ data }) => onMessage(data as TabMessage)
      return { post: (message) => channel.postMessage(message), close: () => channel.close() }
    },
  }
}
