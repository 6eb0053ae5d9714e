// Replays or discards many letters as a row of small calls, so that one can see how far it is and stop. What was done stays
// done: each call stands for itself, and a letter that somebody else was faster with is only counted.
import type { ActionInput } from '#shared/ops.ts'
import type { Inputs, Outputs } from '../../lib/trpc.ts'

export type Report = Outputs['ops']['dlq']['act']
export type Target = { ids: string[] } | { filter: NonNullable<ActionInput['filter']> }
export type Wish = { action: ActionInput['action']; reason: string; dryRun: boolean }
export type Total = Omit<Report, 'letters' | 'cursor' | 'dryRun'> & { done: number; complete: boolean }

type Call = (input: Inputs['ops']['dlq']['act']) => Promise<Report>
type Options = { call: Call; signal: AbortSignal; onProgress: (total: Total) => void }

/** Small enough that a bar moves. */
export const IDS_AT_ONCE = 100

export async function runAction(target: Target, wish: Wish, { call, signal, onProgress }: Options): Promise<Total> {
  let total: Total = {
    ...{ done: 0, complete: false, held: [], replayedBefore: 0, unreadable: 0 },
    counts: { replayed: 0, discarded: 0, gone: 0, guarded: 0 },
  }
  const add = async (part: Parameters<Call>[0]): Promise<string | null> => {
    const report = await call(part)
    total = addReport(total, report)
    onProgress(total)
    return report.cursor
  }
  if ('ids' in target) {
    for (let at = 0; at < target.ids.length; at += IDS_AT_ONCE) {
      if (signal.aborted) return total
      await add({ ...wish, ids: target.ids.slice(at, at + IDS_AT_ONCE) })
    }
  } else {
    let cursor: string | null | undefined
    while (cursor !== null) {
      if (signal.aborted) return total
      cursor = await add({ ...wish, filter: target.filter, ...(cursor ? { cursor } : {}) })
    }
  }
  return { ...total, complete: true }
}

function addReport(total: Total, report: Report): Total {
  const counts = { ...total.counts }
  for (const [outcome, count] of Object.entries(report.counts)) counts[outcome as keyof typeof counts] += count
  return {
    ...total,
    counts,
    done: total.done + report.letters.length,
    held: [...new Set([...total.held, ...report.held])],
    replayedBefore: total.replayedBefore + report.replayedBefore,
    unreadable: total.unreadable + report.unreadable,
  }
}
