import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { renameInput } from './inputs.ts'

export const meRouter = ({ changeTopics, product, demoBot }: AppServices) =>
  router({
    get: personProcedure.query(({ ctx }) => ({
      ...ctx.person,
      ...product,
      demoBot: demoBot && { running: demoBot.running() },
    })),
    rename: personProcedure
      .input(renameInput)
      .mutation(({ ctx, input }) => changeTopics.rename(ctx.person.id, input.name)),
  })
