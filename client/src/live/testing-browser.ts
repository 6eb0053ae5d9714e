// Web Locks and broadcast channels of one imagined browser, for tests with several tabs. Tabs can be frozen (they hold
// what they hold, and hear nothing) and can crash (the browser takes everything from them).
import type { TabMessage } from './tab-messages.ts'
import type { TabsPlatform } from './tabs.ts'

type Waiting = { tab: FakeTab; grant: () => void }
type Held = { tab: FakeTab; rob: () => void }

export type FakeTab = {
  platform: TabsPlatform
  freeze: () => void
  wake: () => void
  crash: () => void
  /** Loses every message from now on, or no longer. */
  deaf: (is: boolean) => void
}

export function fakeBrowser() {
  const held = new Map<string, Held>()
  const queues = new Map<string, Waiting[]>()
  const channels = new Set<{ name: string; tab: FakeTab; hear: (message: TabMessage) => void }>()
  const frozen = new Map<FakeTab, (() => void)[]>()
  const gone = new Set<FakeTab>()
  const deaf = new Set<FakeTab>()

  const queueOf = (name: string) => queues.get(name) ?? queues.set(name, []).get(name)!
  /** In its own time, as the browser calls. */
  const call = (tab: FakeTab, run: () => void) =>
    setImmediate(() => {
      if (gone.has(tab)) return
      const sleeping = frozen.get(tab)
      if (sleeping) sleeping.push(run)
      else run()
    })
  const next = (name: string) => {
    if (!held.has(name)) queueOf(name).shift()?.grant()
  }

  function request(tab: FakeTab, name: string, options: LockOptions, run: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const aborted = () => reject(new DOMException('aborted', 'AbortError'))
      const grant = () => {
        const mine: Held = { tab, rob: () => call(tab, aborted) }
        held.set(name, mine)
        call(tab, async () => {
          await run()
          if (held.get(name) === mine) held.delete(name)
          resolve(undefined)
          next(name)
        })
      }
      if (options.steal) {
        held.get(name)?.rob()
        grant()
        return
      }
      const waiting = { tab, grant }
      queueOf(name).push(waiting)
      options.signal?.addEventListener('abort', () => {
        const queue = queueOf(name)
        if (queue.includes(waiting)) queue.splice(queue.indexOf(waiting), 1)
        aborted()
      })
      next(name)
    })
  }

  return {
    /** Whose turn it is, as the browser sees it. */
    holder: (): FakeTab | null => [...held.values()][0]?.tab ?? null,
    openTab(): FakeTab {
      const tab: FakeTab = {
        platform: {
          locks: {
            request: ((name: string, options: LockOptions, run: () => unknown) =>
              request(tab, name, options, run)) as LockManager['request'],
          },
          openChannel(name, hear) {
            const channel = { name, tab, hear }
            channels.add(channel)
            return {
              post(message) {
                if (frozen.has(tab)) return
                const copy = structuredClone(message)
                for (const other of channels)
                  if (other !== channel && other.name === name && !deaf.has(other.tab))
                    call(other.tab, () => channels.has(other) && other.hear(copy))
              },
              close: () => void channels.delete(channel),
            }
          },
        },
        deaf: (is) => void (is ? deaf.add(tab) : deaf.delete(tab)),
        freeze: () => void (frozen.has(tab) || frozen.set(tab, [])),
        wake() {
          const slept = frozen.get(tab) ?? []
          frozen.delete(tab)
          for (const run of slept) call(tab, run)
        },
        crash() {
          gone.add(tab)
          for (const channel of channels) if (channel.tab === tab) channels.delete(channel)
          for (const [name, queue] of queues)
            queues.set(
              name,
              queue.filter((waiting) => waiting.tab !== tab),
            )
          for (const [name, holder] of held) {
            if (holder.tab !== tab) continue
            held.delete(name)
            next(name)
          }
        },
      }
      return tab
    },
  }
}
