// `npm run ops -- dlq list …`: what the console can do, for the terminal and for scripts. Results go to stdout.
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type ActionReport, createManageDeadLetters, type ManageDeadLetters } from '#server/app/manage-dead-letters.ts'
import { EnvError } from '#server/config/env.ts'
import * as tuning from '#server/config/tuning.ts'
import { createActionJournal } from '#server/db/delivery-actions.ts'
import { createProgressRecord } from '#server/db/delivery-progress.ts'
import { createOperatorStore } from '#server/db/operator-store.ts'
import { createDeadLetters } from '#server/redis/dead-letters.ts'
import { createDeliveryView } from '#server/redis/delivery-view.ts'
import { createProcessBoard } from '#server/redis/process-board.ts'
import { systemClock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import type { ActionInput } from '#shared/ops.ts'
import { OpsError, type OpsTarget, openOpsTarget } from './ops/open-target.ts'
import * as print from './ops/print.ts'
import { type OpsCommand, readCommand, UsageError } from './ops/read-command.ts'
import { ROOT } from './repository-files.ts'

async function perform(command: OpsCommand, { redis, database }: OpsTarget): Promise<string> {
  const letters = createDeadLetters(redis)
  const board = createProcessBoard(redis, systemClock)
  const manage = createManageDeadLetters({
    ...{ letters, board, journal: createActionJournal(database), now: systemClock.now },
    progress: { record: createProgressRecord(database) },
    limits: {
      ...{ replaysMax: tuning.REPLAYS_MAX, batchMax: tuning.DEAD_BATCH_MAX, noteTtlMs: tuning.PROCESS_NOTE_TTL_MS },
    },
  })
  const show = <T>(value: T, text: (value: T) => string) =>
    command.json ? JSON.stringify(value, null, 2) : text(value)
  switch (command.name) {
    case 'status': {
      const view = createDeliveryView(redis)
      const [group, schedule, processes] = [
        await view.group(),
        await view.schedule(5),
        await board.all(tuning.PROCESS_NOTE_TTL_MS),
      ]
      return show({ group, schedule, deadLetters: await letters.depth(), processes }, print.status)
    }
    case 'list':
      return show(await manage.list(command.input), print.list)
    case 'show':
      return show(await manage.show(command.id), print.letter)
    case 'history':
      return show(await manage.history(50), print.history)
    case 'act':
      return show(await actOnAll(manage, command.input), print.report)
    case 'operators':
      return show(await createOperatorStore(database).list(), print.operators)
    case 'set-role': {
      const { handle, role } = command
      if (!(await createOperatorStore(database).set(handle, role)))
        throw new UsageError(`There is nobody called ${handle}.`)
      return show({ handle, role }, () => `${handle} is ${role === 'operator' ? 'an operator' : 'a member'} now.`)
    }
  }
}

/** As many calls as it takes; one report of all. */
async function actOnAll(manage: ManageDeadLetters, input: ActionInput): Promise<ActionReport> {
  const actor = `terminal: ${userInfo().username}`
  const total = await manage.act(actor, input)
  while (total.cursor !== null) {
    const { letters, counts, held, cursor, replayedBefore, unreadable } = await manage.act(actor, {
      ...input,
      cursor: total.cursor,
    })
    total.letters.push(...letters)
    for (const [outcome, count] of Object.entries(counts)) total.counts[outcome as keyof typeof counts] += count
    total.held = [...new Set([...total.held, ...held])]
    total.replayedBefore += replayedBefore
    total.unreadable += unreadable
    total.cursor = cursor
  }
  return total
}

/** What a person can put right gets one line; everything else keeps its stack. */
function lineFor(error: unknown): string | null {
  if (error instanceof UsageError || error instanceof OpsError || error instanceof EnvError) return error.message
  if (error instanceof AppError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'ECONNREFUSED' ? 'Nothing answers at DATABASE_URL.' : null
}

try {
  const command = readCommand(process.argv.slice(2))
  const settings = join(ROOT, '.env')
  // The same settings as the server's; what is set outside wins over the file.
  if (existsSync(settings)) process.loadEnvFile(settings)
  const target = await openOpsTarget(process.env)
  try {
    console.log(await perform(command, target))
  } finally {
    await target.stop()
  }
} catch (error) {
  const line = lineFor(error)
  if (line === null) throw error
  console.error(line)
  process.exitCode = 1
}
