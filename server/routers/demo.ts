import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { AppError } from '#shared/errors.ts'
import { botInput } from './inputs.ts'

export const demoRouter = ({ demoBot }: AppServices) =>
  router({
    setBot: personProcedure.input(botInput).mutation(({ input }) => {
      if (!demoBot) throw new AppError('NOT_FOUND', 'There is no demo bot here.')
      demoBot.setRunning(input.running)
      return { running: demoBot.running() }
    }),
  })
