import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { noticesInput, noticesSeenInput } from '#shared/notice.ts'

export const bellRouter = ({ bell }: AppServices) =>
  router({
    list: personProcedure.input(noticesInput).query(({ ctx, input }) => bell.list(ctx.person.id, input)),
    seen: personProcedure.input(noticesSeenInput).mutation(({ ctx, input }) => bell.seen(ctx.person.id, input)),
  })
