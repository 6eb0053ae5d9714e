import type { AppServices } from '#server/services.ts'
import { personProcedure, publicProcedure, router } from '#server/trpc.ts'
import { renameInput } from './inputs.ts'

export const meRouter = ({ changeTopics, product, demoBot, edgeSessions }: AppServices) =>
  router({
    /** What the sign-in page offers besides e-mail and password. */
    signInWays: publicProcedure.query(() => ({ oidcName: product.oidcName })),
    get: personProcedure.query(({ ctx }) => ({
      ...ctx.person,
      ...product,
      /** Whether asking for a session at the edge has a point. */
      edge: edgeSessions !== null,
      demoBot: demoBot && { running: demoBot.running() },
    })),
    rename: personProcedure
      .input(renameInput)
      .mutation(({ ctx, input }) => changeTopics.rename(ctx.person.id, input.name)),
  })
