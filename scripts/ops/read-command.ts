// Reads `dlq list|show|replay|discard …` and `status`; the same schemas as the API decide what is right.
import { parseArgs } from 'node:util'
import type { z } from 'zod'
import { type ActionInput, type DeadListInput, deadActionInput, deadId, deadListInput } from '#shared/ops.ts'

export const USAGE = `npm run ops -- <command>

  status                           the group, the schedule and the dead letters in a few lines
  dlq list                         dead letters, newest first
      --handler mentions|webhooks|edge-relay   --class transient|client_crash|permanent|trimmed
      --older-than 90s|15m|2h|3d   --limit 50   --cursor <id>
  dlq show <id>                    one of them with its payload and error
  dlq replay <id …> | --all        gives it to the handler that failed once more
  dlq discard <id …> | --all       lets it go
      --reason "…" is needed; --dry-run shows what would happen; --all takes the filters of list
  dlq history                      who did what, when and why
  operators list                   who may use the console
  operators add|remove <handle>    makes somebody an operator, or a member again

  --json prints JSON`

export class UsageError extends Error {}

export type OpsCommand = { json: boolean } & (
  | { name: 'status' }
  | { name: 'history' }
  | { name: 'list'; input: DeadListInput }
  | { name: 'show'; id: string }
  | { name: 'act'; input: ActionInput }
  | { name: 'operators' }
  | { name: 'set-role'; handle: string; role: 'operator' | 'member' }
)

const OPTIONS = {
  handler: { type: 'string' },
  class: { type: 'string' },
  'older-than': { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  reason: { type: 'string' },
  all: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const
const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

export function readCommand(args: string[]): OpsCommand {
  const { values, positionals } = parse(args)
  const [first, second, ...ids] = positionals
  const json = values.json
  const filter = {
    handler: values.handler,
    class: values.class,
    olderThanSeconds: values['older-than'] === undefined ? undefined : seconds(values['older-than']),
  }
  if (first === 'status' && second === undefined) return { name: 'status', json }
  if (first === 'operators') return { json, ...readOperators(second, ids) }
  if (first !== 'dlq') throw new UsageError(USAGE)
  switch (second) {
    case 'history':
      return { name: 'history', json }
    case 'list': {
      const limit = values.limit === undefined ? undefined : Number(values.limit)
      return { name: 'list', json, input: check(deadListInput, { ...filter, limit, cursor: values.cursor }) }
    }
    case 'show':
      if (ids.length !== 1) throw new UsageError('Give one id.')
      return { name: 'show', json, id: check(deadId, ids[0]) }
    case 'replay':
    case 'discard': {
      if (values.all === ids.length > 0) throw new UsageError('Give ids, or --all with or without filters.')
      const which = values.all ? { filter } : { ids }
      const input = { action: second, ...which, reason: values.reason ?? '', dryRun: values['dry-run'] }
      return { name: 'act', json, input: check(deadActionInput, input) }
    }
    default:
      throw new UsageError(USAGE)
  }
}

function readOperators(verb: string | undefined, handles: string[]) {
  if (verb === 'list') return { name: 'operators' } as const
  if (verb !== 'add' && verb !== 'remove') throw new UsageError(USAGE)
  if (handles.length !== 1) throw new UsageError('Give one handle.')
  return {
    name: 'set-role',
    handle: handles[0]!.replace(/^@/, ''),
    role: verb === 'add' ? 'operator' : 'member',
  } as const
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const field = issue.path.filter((part) => typeof part === 'string' && part !== 'filter').join('.')
  throw new UsageError(field ? `--${field.replace('olderThanSeconds', 'older-than')}: ${issue.message}` : issue.message)
}

function seconds(text: string): number {
  const match = /^(\d{1,8})([smhd])$/.exec(text)
  if (!match) throw new UsageError('--older-than is a number with s, m, h or d, such as 15m.')
  return Number(match[1]) * UNITS[match[2]!]!
}
