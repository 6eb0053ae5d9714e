import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { editInput, idempotencyKey, type PublishInput, publishInput } from '#shared/activity.ts'
import {
  addCommentInput,
  commentInput,
  editCommentInput,
  reactInput,
  talksInput,
  threadInput,
} from '#shared/conversation.ts'
import { AppError } from '#shared/errors.ts'
import { feedInput, getInput, markAllInput, markInput } from '#shared/feed.ts'
import { undoInput } from './inputs.ts'

export const activitiesRouter = ({ readFeed, publishActivity, changeActivity, markRead, converse }: AppServices) =>
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
    edit: personProcedure.input(editInput).mutation(({ ctx, input }) => changeActivity.edit(ctx.person.id, input)),
    delete: personProcedure
      .input(getInput)
      .mutation(({ ctx, input }) => changeActivity.remove(ctx.person.id, input.id)),
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
    react: personProcedure.input(reactInput).mutation(({ ctx, input }) => converse.react(ctx.person.id, input)),
    talks: personProcedure.input(talksInput).query(({ ctx, input }) => converse.talks(ctx.person.id, input.ids)),
    comments: router({
      list: personProcedure.input(threadInput).query(({ ctx, input }) => converse.list(ctx.person.id, input)),
      add: personProcedure.input(addCommentInput).mutation(({ ctx, input }) => converse.add(ctx.person.id, input)),
      edit: personProcedure.input(editCommentInput).mutation(({ ctx, input }) => converse.edit(ctx.person.id, input)),
      remove: personProcedure
        .input(commentInput)
        .mutation(({ ctx, input }) => converse.remove(ctx.person.id, input.id)),
    }),
  })

/** The key may come in the input or in the header; the input's own wins. */
function withHeaderKey(input: PublishInput, header: string | undefined): PublishInput {
  if (header === undefined || input.idempotencyKey !== undefined) return input
  const parsed = idempotencyKey.safeParse(header)
  if (!parsed.success)
    throw new AppError('INVALID_INPUT', parsed.error.issues[0]?.message ?? 'Not valid.', { field: 'Idempotency-Key' })
  return { ...input, idempotencyKey: parsed.data }
}
