// What operators do with work that died: look at it, give it another life, or let it go. Every act has a reason and is
// in the journal before it happens. Doing the same twice does it once.
import { AppError } from '#shared/errors.ts'
import type { ActionInput, DeadListInput } from '#shared/ops.ts'
import type {
  ActionJournal,
  DeadFilter,
  DeadLetter,
  DeadLetters,
  DeadOutcome,
  DeliveryProgress,
  ProcessBoard,
} from './delivery-ports.ts'

type Deps = {
  letters: DeadLetters
  journal: ActionJournal
  progress: Pick<DeliveryProgress, 'record'>
  board: Pick<ProcessBoard, 'all'>
  now: () => number
  limits: { replaysMax: number; batchMax: number; noteTtlMs: number }
}

export type DeadLetterSummary = Omit<DeadLetter, 'data' | 'stack'> & { topic: string }
export type ActionReport = {
  /** In the order in which they were found. */
  letters: { id: string; handler: string; outcome: DeadOutcome }[]
  counts: Record<DeadOutcome, number>
  /** The filter fits more than one call may touch: go on from here. */
  cursor: string | null
  /** Of these letters: how many had another life before, and whose payload cannot be read. */
  replayedBefore: number
  unreadable: number
  /** Handlers whose dependency is down: what is replayed for them waits until it is back. */
  held: string[]
  dryRun: boolean
}

export type ManageDeadLetters = ReturnType<typeof createManageDeadLetters>

export function createManageDeadLetters({ letters, journal, progress, board, now, limits }: Deps) {
  const toFilter = (input: DeadListInput): DeadFilter => ({
    handler: input.handler,
    class: input.class,
    olderThanMs: input.olderThanSeconds === undefined ? undefined : now() - input.olderThanSeconds * 1_000,
  })

  async function chosen(input: ActionInput): Promise<{ found: (DeadLetter | string)[]; cursor: string | null }> {
    if (input.ids) {
      const ids = [...new Set(input.ids)]
      const found = await Promise.all(ids.map(async (id) => (await letters.get(id)) ?? id))
      return { found, cursor: null }
    }
    // Towards older ones: what dies again meanwhile is newer, and is not given a second turn by the same wish.
    const page = await letters.list(toFilter(input.filter ?? {}), input.cursor ?? null, limits.batchMax)
    return { found: page.letters, cursor: page.more ? (page.letters.at(-1)?.id ?? null) : null }
  }

  const predict = (action: ActionInput['action'], letter: DeadLetter): DeadOutcome => {
    if (action === 'discard') return 'discarded'
    return letter.replays >= limits.replaysMax ? 'guarded' : 'replayed'
  }

  async function perform(action: ActionInput['action'], actor: string, reason: string, there: DeadLetter[]) {
    const ids = there.map(({ id }) => id)
    const lines = await journal.begin(action, actor, reason, there)
    if (action === 'discard')
      // First of all finished: a letter that is gone without that would be owed, and come back.
      await progress.record(
        there.map(({ handler, topicId, seq }) => ({ handler, range: { topicId, from: seq, to: seq } })),
      )
    const outcomes =
      action === 'replay' ? await letters.replay(ids, { maxReplays: limits.replaysMax }) : await letters.discard(ids)
    await journal.end(lines, outcomes)
    return outcomes
  }

  return {
    async list(input: DeadListInput): Promise<{ letters: DeadLetterSummary[]; cursor: string | null; depth: number }> {
      const page = await letters.list(toFilter(input), input.cursor ?? null, input.limit ?? 50)
      return {
        letters: page.letters.map(toSummary),
        cursor: page.more ? (page.letters.at(-1)?.id ?? null) : null,
        depth: await letters.depth(),
      }
    },

    async show(id: string): Promise<DeadLetter & { topic: string }> {
      const letter = await letters.get(id)
      if (!letter) throw new AppError('NOT_FOUND', 'This dead letter has been replayed or discarded.', { field: 'id' })
      return { ...letter, topic: topicOf(letter) }
    },

    async act(actor: string, input: ActionInput): Promise<ActionReport> {
      const { found, cursor } = await chosen(input)
      const there = found.filter((one) => typeof one !== 'string')
      const outcomes = input.dryRun
        ? there.map((letter) => predict(input.action, letter))
        : await perform(input.action, actor, input.reason, there)
      const byId = new Map(there.map(({ id }, index) => [id, outcomes[index]!]))
      const report = found.map((one) =>
        typeof one === 'string'
          ? { id: one, handler: '', outcome: 'gone' as const }
          : { id: one.id, handler: one.handler, outcome: byId.get(one.id) ?? 'gone' },
      )
      const counts: ActionReport['counts'] = { replayed: 0, discarded: 0, gone: 0, guarded: 0 }
      for (const { outcome } of report) counts[outcome] += 1
      const notes = input.action === 'replay' ? await board.all(limits.noteTtlMs) : []
      const held = [...new Set(there.map(({ handler }) => handler))].filter((handler) =>
        notes.some(({ breakers }) => breakers[handler].phase === 'open' || breakers[handler].phase === 'probing'),
      )
      return {
        ...{ letters: report, counts, cursor, held, dryRun: input.dryRun },
        replayedBefore: there.filter(({ replays }) => replays > 0).length,
        unreadable: there.filter(({ data }) => !isJson(data)).length,
      }
    },

    history: (limit: number) => journal.recent(limit),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function toSummary({ data, stack: _, ...rest }: DeadLetter): DeadLetterSummary {
  return { ...rest, topic: topicOf({ data, topicId: rest.topicId }) }
}

/** The topic's name as the payload has it. */
function topicOf({ data, topicId }: Pick<DeadLetter, 'data' | 'topicId'>): string {
  return /"topic":\{"id":\d+,"name":"([^"\\]+)"/.exec(data)?.[1] ?? `topic ${topicId}`
}
