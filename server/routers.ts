// Composes AppRouter. Each procedure checks its input and hands over to one verb.
import type { AppServices } from '#server/services.ts'
import { activitiesRouter } from './routers/activities.ts'
import { apiKeysRouter } from './routers/api-keys.ts'
import { bellRouter } from './routers/bell.ts'
import { demoRouter } from './routers/demo.ts'
import { completeInput } from './routers/inputs.ts'
import { liveRouter } from './routers/live.ts'
import { meRouter } from './routers/me.ts'
import { opsRouter } from './routers/ops.ts'
import { searchRouter } from './routers/search.ts'
import { topicsRouter } from './routers/topics.ts'
import { webhooksRouter } from './routers/webhooks.ts'
import { personProcedure, router } from './trpc.ts'

export function createAppRouter(services: AppServices) {
  return router({
    me: meRouter(services),
    topics: topicsRouter(services),
    people: router({
      complete: personProcedure
        .input(completeInput)
        .query(({ ctx, input }) => services.changeTopics.complete(ctx.person.id, input)),
    }),
    activities: activitiesRouter(services),
    bell: bellRouter(services),
    apiKeys: apiKeysRouter(services),
    webhooks: webhooksRouter(services),
    search: searchRouter(services),
    live: liveRouter(services),
    demo: demoRouter(services),
    ops: opsRouter(services),
  })
}

export type AppRouter = ReturnType<typeof createAppRouter>
