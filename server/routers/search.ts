import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { searchInput } from '#shared/search.ts'

export const searchRouter = ({ searchActivities }: AppServices) =>
  router({
    query: personProcedure.input(searchInput).query(({ ctx, input }) => searchActivities.page(ctx.person.id, input)),
  })
