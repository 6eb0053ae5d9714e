// Results of operators' commands as text for a terminal.
import type { ActionRecord, DeadLetter, GroupState, ProcessNote, ScheduleState } from '#server/app/delivery-ports.ts'
import type { ActionReport, DeadLetterSummary } from '#server/app/manage-dead-letters.ts'
import type { Operator } from '#server/db/operator-store.ts'

const time = (ms: number) => new Date(ms).toISOString().replace('T', ' ').slice(0, 19)

/** Columns as wide as their widest cell. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd()
  return [head, ...rows].map(line).join('\n')
}

export function list({
  letters,
  cursor,
  depth,
}: {
  letters: DeadLetterSummary[]
  cursor: string | null
  depth: number
}) {
  if (letters.length === 0) return depth === 0 ? 'No dead letters.' : `None fits; there are ${depth} in all.`
  const rows = letters.map((one) => [
    ...[one.id, time(one.diedAt), one.handler, one.topic, String(one.seq), one.class, String(one.attempts)],
    (one.error ?? '').split('\n')[0]!.slice(0, 80),
  ])
  const text = table(['id', 'died', 'handler', 'topic', 'seq', 'class', 'tries', 'last error'], rows)
  return `${text}\n${letters.length} of ${depth}${cursor ? `; go on with --cursor ${cursor}` : ''}`
}

export function letter({ data, stack, ...rest }: DeadLetter & { topic: string }): string {
  const facts = Object.entries(rest).map(([name, value]) => `${name.padEnd(10)} ${value ?? '–'}`)
  return [...facts, '', stack ?? '', '', JSON.stringify(JSON.parse(data), null, 2)].join('\n')
}

export function report({ counts, letters, held, dryRun }: ActionReport): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
  const lines = [`${dryRun ? 'Would be: ' : ''}${parts.join(', ') || 'nothing to do'}`]
  if (counts.guarded > 0)
    lines.push(
      `Replayed too often already: ${letters
        .filter(({ outcome }) => outcome === 'guarded')
        .map(({ id }) => id)
        .join(' ')}`,
    )
  if (held.length > 0) lines.push(`Waits until its dependency is back: ${held.join(', ')}`)
  return lines.join('\n')
}

export function history(actions: ActionRecord[]): string {
  if (actions.length === 0) return 'Nobody has replayed or discarded anything.'
  return table(
    ['when', 'who', 'what', 'handler', 'place', 'outcome', 'why'],
    actions.map((one) => [
      ...[time(Date.parse(one.at)), one.actor, one.action, one.handler, `${one.topicId}:${one.seq}`],
      ...[one.outcome ?? 'unknown', one.reason],
    ]),
  )
}

export const operators = (people: Operator[]): string =>
  people.length === 0
    ? 'Nobody is an operator: npm run ops -- operators add <handle>.'
    : table(
        ['handle', 'name', 'e-mail'],
        people.map(({ handle, name, email }) => [handle, name, email]),
      )

type Status = { group: GroupState; schedule: ScheduleState; deadLetters: number; processes: ProcessNote[] }

export function status({ group, schedule, deadLetters, processes }: Status): string {
  const oldest = group.oldestPendingMs === null ? '' : `, oldest ${Math.round(group.oldestPendingMs / 1_000)} s`
  return [
    `pending       ${group.pending}${oldest}`,
    `not read      ${group.lag ?? 'unknown'}`,
    ...Object.entries(schedule.sizes).map(([handler, size]) => `${`retry ${handler}`.padEnd(17)} ${size}`),
    `dead letters  ${deadLetters}`,
    ...processes.map(
      ({ name, connections, breakers }) =>
        `process       ${name}: ${connections} connections, ${Object.entries(breakers)
          .map(([handler, { phase }]) => `${handler} ${phase}`)
          .join(', ')}`,
    ),
  ].join('\n')
}
