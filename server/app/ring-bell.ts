// The bell: comments that concern somebody, and which of them they have seen, told to their other tabs.
import { parseCursor, printCursor } from '#server/domain/feed/cursor.ts'
import { AppError } from '#shared/errors.ts'
import { NOTICES_PAGE, type Notices, type NoticesSeen } from '#shared/notice.ts'
import type { PersonalBus } from './log-ports.ts'
import type { NoticeStore } from './ports.ts'

type Deps = {
  notices: NoticeStore
  bus: Pick<PersonalBus, 'send'>
  /** It is stored; other tabs see it when they ask again. */
  onTellError: (error: unknown) => void
}

export type Bell = ReturnType<typeof createBell>

export function createBell({ notices, bus, onTellError }: Deps) {
  return {
    async list(viewer: string, input: { cursor?: string | null | undefined }): Promise<Notices> {
      const before = input.cursor ? parseCursor(input.cursor) : null
      if (before && !before.ok) throw new AppError(before.code, before.message, { field: 'cursor' })
      const found = await notices.list(viewer, before?.ok ? before.value : null, NOTICES_PAGE)
      const last = found.length === NOTICES_PAGE ? found.at(-1)! : null
      return { notices: found, cursor: last && printCursor(last.comment.id), unread: await notices.unread(viewer) }
    },

    /** Something new waits behind it: the person's tabs are told how much. */
    async tell(viewer: string): Promise<void> {
      await notices
        .unread(viewer)
        .then((unread) => bus.send({ type: 'bell', userId: viewer, unread }))
        .catch(onTellError)
    },

    async seen(viewer: string, what: NoticesSeen): Promise<{ unread: number }> {
      const changed = await notices.markRead(viewer, {
        activityId: 'activity' in what ? what.activity : null,
        upTo: 'upTo' in what ? what.upTo : null,
      })
      const unread = await notices.unread(viewer)
      if (changed > 0) await bus.send({ type: 'bell', userId: viewer, unread }).catch(onTellError)
      return { unread }
    },
  }
}
