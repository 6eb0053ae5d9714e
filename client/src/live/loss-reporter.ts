// Brings the ledger to the server, once a minute at most and when the page goes away, and keeps it on the device until
// the server has it: a tab that is closed without a network must not take its counts along. The books belong to the tab
// that leads, and go to the next one with that office.
import type { Timers } from './event-stream.ts'
import { beginReport, endReport, enter, type Ledger, type Losses, NEW_LEDGER, owed, reportAt } from './ledger.ts'

type Deps = {
  /** False, or a failure, when the server did not take it. */
  send: (report: Losses) => Promise<boolean>
  load: () => Promise<Losses | undefined>
  save: (losses: Losses) => void
  isOnline: () => boolean
  timers: Timers
  now: () => number
}

export type LossReporter = ReturnType<typeof createLossReporter>

export function createLossReporter({ send, load, save, isOnline, timers, now }: Deps) {
  let ledger: Ledger = NEW_LEDGER
  let planned: unknown
  /** The books are here; before that what they hold is not known, and must not be written over. */
  let open = false
  let office = 0

  function set(next: Ledger) {
    ledger = next
    if (!open) return
    save(owed(ledger))
    timers.clear(planned)
    const at = reportAt(ledger)
    if (at !== null) planned = timers.set(() => void report(), Math.max(0, at - now()))
  }

  async function report(): Promise<void> {
    const begun = beginReport(ledger, now())
    if (begun.report === null) return
    set(begun.ledger)
    const mine = office
    const taken = await send(begun.report).catch(() => false)
    if (mine === office) set(endReport(ledger, taken))
  }

  return {
    async begin() {
      office += 1
      const mine = office
      ledger = NEW_LEDGER
      const left = await load()
      if (mine !== office) return
      open = true
      set(left ? enter(ledger, left) : ledger)
    },
    note: (part: Partial<Losses>) => set(enter(ledger, part)),
    /** The office is over, perhaps with the page: what is known goes now, and whoever leads next finds the rest. */
    async end(): Promise<void> {
      timers.clear(planned)
      office += 1
      const { report: last, ledger: rest } = beginReport(ledger, now())
      const wasOpen = open
      open = false
      ledger = NEW_LEDGER
      if (!wasOpen || last === null || !isOnline()) return
      save(rest.open)
      const taken = await send(last).catch(() => false)
      // We are still here to hear that it failed.
      if (!taken) save(owed(enter({ ...NEW_LEDGER, open: (await load()) ?? rest.open }, last)))
    },
  }
}
