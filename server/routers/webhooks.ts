import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import {
  createEndpointInput,
  deliveriesInput,
  deliveryInput,
  endpointInput,
  pauseEndpointInput,
} from '#shared/webhook.ts'

export const webhooksRouter = ({ webhooks, requests }: AppServices) =>
  router({
    list: personProcedure.query(({ ctx }) => webhooks.list(ctx.person.id)),
    create: personProcedure
      .input(createEndpointInput)
      .mutation(({ ctx, input }) => webhooks.create(ctx.person.id, input)),
    remove: personProcedure.input(endpointInput).mutation(({ ctx, input }) => webhooks.remove(ctx.person.id, input.id)),
    pause: personProcedure
      .input(pauseEndpointInput)
      .mutation(({ ctx, input }) => webhooks.pause(ctx.person.id, input.id, input.paused)),
    reseal: personProcedure.input(endpointInput).mutation(({ ctx, input }) => webhooks.reseal(ctx.person.id, input.id)),
    test: personProcedure.input(endpointInput).mutation(({ ctx, input }) => webhooks.test(ctx.person.id, input.id)),
    deliveries: personProcedure
      .input(deliveriesInput)
      .query(({ ctx, input }) => webhooks.deliveries(ctx.person.id, input.endpoint, input.cursor)),
    delivery: personProcedure.input(deliveryInput).query(({ ctx, input }) => webhooks.details(ctx.person.id, input.id)),
    redeliver: personProcedure
      .input(deliveryInput)
      .mutation(({ ctx, input }) => webhooks.redeliver(ctx.person.id, input.id)),
    notices: personProcedure.query(({ ctx }) => webhooks.notices(ctx.person.id)),
    noticed: personProcedure.mutation(({ ctx }) => webhooks.noticed(ctx.person.id)),
    /** What one's tools asked lately, newest first. */
    requests: personProcedure.query(({ ctx }) => requests.recent(ctx.person.id)),
  })
