import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { idempotencyKey, type PublishInput, publishInput } from '#shared/activity.ts'
import { AppError } from '#shared/errors.ts'
import { feedInput, getInput, markAllInput, markInput } from '#shared/feed.ts'
import { undoInput } from './inputs.ts'

export const activitiesRouter = ({ readFeed, publishActivity, markRead }: AppServices) =>
  router({
    getFeed: personProcedure.input(feedInput).query(({ ctx, input }) => {
      // However the request was written: what was not counted as a poll is not answered as one.
      if (input.since !== undefined && !ctx.countedPoll)
        throw new AppError('INVALID_INPUT', 'Send a poll as a plain GET of this call alone.', { field: 'since' })
      return readFeed.page(ctx.person.id, input)
    }),
    get: personProcedure.input(getInput).query(({ ctx, input }) => readFeed.get(ctx.person.id, input.id)),
    publish: personProcedure.input(publishInput).mutation(({ ctx: { person, idempotencyKey: header }, input }) => {
      const { id, handle, name } = person
      const publisher = { actor: { kind: 'person' as const, id, handle, name }, source: 'web', scope: `person:${id}` }
      return publishActivity.publish(publisher, withHeaderKey(input, header))
    }),
    markRead: personProcedure
      .input(markInput)
      .mutation(({ ctx, input }) => markRead.markRead(ctx.person.id, input.ids)),
    markUnread: personProcedure
      .input(markInput)
      .mutation(({ ctx, input }) => markRead.markUnread(ctx.person.id, input.ids)),
    markAllRead: personProcedure
      .input(markAllInput)
      .mutation(({ ctx, input }) => markRead.markAllRead(ctx.person.id, input)),
    undoMarkAll: personProcedure
      .input(undoInput)
      .mutation(({ ctx, input }) => markRead.undoMarkAll(ctx.person.id, input.undo)),
    unreadCounts: personProcedure.query(({ ctx }) => markRead.counts(ctx.person.id)),
  })

/** The key may come in the input or in the header; the input's own wins. */
function withHeaderKey(input: PublishInput, header: string | undefined): PublishInput {
  if (header === undefined || input.idempotencyKey !== undefined) return input
  const parsed = idempotencyKey.safeParse(header)
  if (!parsed.success)
    throw new AppError('INVALID_INPUT', parsed.error.issues[0]?.message ?? 'Not valid.', { field: 'Idempotency-Key' })
  return { ...input, idempotencyKey: parsed.data }
}
