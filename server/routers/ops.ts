// For operators only, each call: the role is checked here, on the server, whatever the client shows.
import { z } from 'zod'
import type { AppServices } from '#server/services.ts'
import { operatorProcedure, router } from '#server/trpc.ts'
import { AppError } from '#shared/errors.ts'
import { deadActionInput, deadId, deadListInput, runbookInput, trendsInput } from '#shared/ops.ts'

const historyInput = z.strictObject({ limit: z.int().min(1).max(200).default(50) })

export const opsRouter = ({ ops }: AppServices) =>
  router({
    overview: operatorProcedure.query(() => ops.picture()),
    trends: operatorProcedure.input(trendsInput).query(({ input }) => ops.trends(input.minutes)),
    runbooks: router({
      list: operatorProcedure.query(() => ops.runbooks.names()),
      show: operatorProcedure.input(runbookInput).query(async ({ input }) => {
        const text = await ops.runbooks.read(input.name)
        if (text === null) throw new AppError('NOT_FOUND', 'There is no such runbook.', { field: 'name' })
        return { name: input.name, text }
      }),
    }),
    dlq: router({
      list: operatorProcedure.input(deadListInput).query(({ input }) => ops.deadLetters.list(input)),
      show: operatorProcedure
        .input(z.strictObject({ id: deadId }))
        .query(({ input }) => ops.deadLetters.show(input.id)),
      act: operatorProcedure
        .input(deadActionInput)
        .mutation(({ ctx, input }) => ops.deadLetters.act(ctx.person.handle, input)),
      history: operatorProcedure.input(historyInput).query(({ input }) => ops.deadLetters.history(input.limit)),
    }),
  })
