// How long an activity takes from its receipt to the screen, for the operators' figures: one page in ten measures, a few
// times a minute, and reports once a minute. What is lost with a closed page is not missed: it is a sample.
const SAMPLES_MAX = 20
const REPORT_EVERY_MS = 60_000
const LONGEST_MS = 60_000
/** Of all pages, how many measure. */
export const SAMPLED_SHARE = 0.1

type Deps = {
  /** Drawn once for the page. */
  chosen: boolean
  isVisible: () => boolean
  /** Calls back when what was changed now has been painted. */
  afterPaint: (run: () => void) => void
  later: (run: () => void, ms: number) => void
  now: () => number
  send: (ms: number[]) => Promise<unknown>
}

export function createRenderSampler({ chosen, isVisible, afterPaint, later, now, send }: Deps) {
  let since: number | null = null
  let samples: number[] = []

  function report() {
    const reported = samples
    samples = []
    // A report that fails is a sample that was not taken.
    void send(reported).catch(() => undefined)
  }

  return {
    arrived() {
      if (chosen && samples.length < SAMPLES_MAX && isVisible()) since ??= now()
    },
    /** The list has changed and will be painted. */
    changed() {
      const from = since
      since = null
      if (from === null) return
      afterPaint(() => {
        // Nothing is painted in a tab that was left meanwhile.
        if (!isVisible()) return
        samples.push(Math.min(LONGEST_MS, Math.round(now() - from)))
        if (samples.length === 1) later(report, REPORT_EVERY_MS)
      })
    },
  }
}
