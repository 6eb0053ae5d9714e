// What people say about an activity: react, comment, edit, delete. Stored with its event in one transaction; the event
// then takes the way of every event of the topic, to exactly those who see the activity.
import { parseCursor, printCursor } from '#server/domain/feed/cursor.ts'
import { mentionedHandles } from '#shared/activity.ts'
import { type AddCommentInput, COMMENTS_MAX, EMOJI_KINDS_MAX, THREADS_PAGE } from '#shared/conversation.ts'
import { AppError, noSuchActivity, noSuchComment } from '#shared/errors.ts'
import type { Said, Talk, ThreadPage } from '#shared/talk.ts'
import type { OutboxEvent } from './log-ports.ts'
import type { ConversationStore, Renewal, TalkOutcome } from './ports.ts'

type Deps = { conversations: ConversationStore; handToLog: (events: OutboxEvent[]) => void }

export type Converse = ReturnType<typeof createConverse>

export function createConverse({ conversations, handToLog }: Deps) {
  /** `missing` and `tooMany`: what to say when it is not there for this person, or full. */
  function settle<T>(result: TalkOutcome<T>, missing: () => AppError, tooMany = ''): T {
    switch (result.outcome) {
      case 'changed': {
        const { topicId, seq, change } = result
        handToLog([{ topicId, seq, log: { kind: 'update', event: { topic: topicId, seq, change } } }])
        return result.answer
      }
      case 'unchanged':
        return result.answer
      case 'hidden':
        throw missing()
      case 'denied':
        throw new AppError('NOT_ALLOWED', 'Only its author and owners of the topic may change a comment.')
      case 'too-many':
        throw new AppError('INVALID_INPUT', tooMany, { field: 'activity' })
      case 'reused':
        throw new AppError('KEY_REUSED', 'This idempotency key was used for something else.', {
          field: 'idempotencyKey',
        })
    }
  }

  return {
    async react(viewer: string, { id, emoji }: { id: number; emoji: string | null }): Promise<Talk> {
      const full = `There are ${EMOJI_KINDS_MAX} different reactions already: choose one of them.`
      return settle(await conversations.react(viewer, id, emoji), noSuchActivity, full)
    },

    /** Activities that are hidden or gone are left out. */
    async talks(viewer: string, ids: number[]): Promise<({ id: number } & Renewal)[]> {
      return [...(await conversations.talks(viewer, ids))].map(([id, renewal]) => ({ id, ...renewal }))
    },

    async list(viewer: string, input: { activity: number; cursor?: string | null | undefined }): Promise<ThreadPage> {
      const before = input.cursor ? parseCursor(input.cursor) : null
      if (before && !before.ok) throw new AppError(before.code, before.message, { field: 'cursor' })
      // First: the comments are then as new as the counts at least, and what comes later says so by its version.
      const talk = (await conversations.talks(viewer, [input.activity])).get(input.activity)?.talk
      if (!talk) throw noSuchActivity()
      const found = await conversations.threads(input.activity, before?.ok ? before.value : null, THREADS_PAGE)
      const roots = found.filter((comment) => comment.parent === null)
      if (roots.length <= THREADS_PAGE) return { comments: found, cursor: null, talk }
      const extra = roots[0]!.id
      const comments = found.filter(({ id, parent }) => id !== extra && parent !== extra)
      return { comments, cursor: printCursor(roots[1]!.id), talk }
    },

    async add(author: string, input: AddCommentInput): Promise<Said> {
      const outcome = await conversations.add(author, {
        activityId: input.activity,
        parentId: input.parent ?? null,
        text: input.text,
        mentions: mentionedHandles(input.text),
        key: input.idempotencyKey ?? null,
      })
      const full = `There are ${COMMENTS_MAX} comments already: start another activity.`
      return settle(outcome, input.parent ? noSuchComment : noSuchActivity, full)
    },

    async edit(actor: string, { id, text }: { id: number; text: string }): Promise<Said> {
      const words = { text, mentions: mentionedHandles(text) }
      return settle(await conversations.rewrite(actor, id, words), noSuchComment)
    },

    async remove(actor: string, id: number): Promise<Said> {
      return settle(await conversations.rewrite(actor, id, null), noSuchComment)
    },
  }
}
