import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Comment, NO_TALK, type ThreadPage } from '#shared/talk.ts'
import { addEarlier, hearComment, openThread, shownCount, type Thread, viewThread } from './thread.ts'

const ada = { id: 'p-ada', handle: 'ada', name: 'Ada' }
const aComment = (part: Partial<Comment> & { id: number; version: number }): Comment => ({
  ...{ activity: 1, parent: null, author: ada, text: `v${part.version}`, mentions: [] },
  ...{ createdAt: '2026-11-18T10:00:00.000Z', editedAt: null, editedBy: null, deleted: false },
  ...part,
})

/** A conversation on a server: every change raises the version by one and is told. */
class Conversation {
  readonly told: Comment[] = []
  readonly now = new Map<number, Comment>()
  version = 0

  change(comment: Comment) {
    this.version = comment.version
    this.now.set(comment.id, comment)
    this.told.push(comment)
  }
  act(what: 'root' | 'reply' | 'edit' | 'delete', pick: number) {
    const version = this.version + 1
    const living = [...this.now.values()].filter(({ deleted }) => !deleted)
    const some = living[pick % Math.max(1, living.length)]
    if (what === 'root') this.change(aComment({ id: this.told.length + 1, version }))
    else if (!some) return
    else if (what === 'reply')
      this.change(aComment({ id: this.told.length + 1, version, parent: some.parent ?? some.id }))
    else this.change({ ...some, version, text: what === 'edit' ? `v${version}` : '', deleted: what === 'delete' })
  }
  page(before: number, limit: number): ThreadPage {
    const all = [...this.now.values()].sort((a, b) => a.id - b.id)
    const answers = (id: number) => all.filter(({ parent, deleted }) => parent === id && !deleted)
    const roots = all
      .filter(({ id, parent, deleted }) => parent === null && id < before && (!deleted || answers(id).length > 0))
      .slice(-limit - 1)
    const shown = roots.slice(-limit)
    const comments = [...shown, ...shown.flatMap(({ id }) => answers(id))].sort((a, b) => a.id - b.id)
    const cursor = roots.length > limit ? String(shown[0]!.id) : null
    return { comments, cursor, talk: { ...NO_TALK, version: this.version } }
  }
}

const step = fc.record({ what: fc.constantFrom('root', 'root', 'reply', 'edit', 'delete'), pick: fc.nat({ max: 50 }) })

it('[FEED-3] comments heard in any order, twice, before or after any page, end as the server has them', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.array(step, { maxLength: 30 }),
      fc.array(fc.nat({ max: 1_000 }), { maxLength: 60 }),
      (before, after, order) => {
        const server = new Conversation()
        for (const { what, pick } of before) server.act(what as 'root', pick)
        const page = server.page(Number.POSITIVE_INFINITY, 3)
        const begun = server.told.length
        for (const { what, pick } of after) server.act(what as 'root', pick)
        // Everything after the page, and anything that came before it, shuffled and repeated.
        const any = order.flatMap((n) => server.told[n % Math.max(1, server.told.length)] ?? [])
        const shuffled = [...any, ...server.told.slice(begun)]
        const half = Math.floor(shuffled.length / 2)
        let thread: Thread = openThread(page, shuffled.slice(0, half))
        for (const comment of shuffled.slice(half)) thread = hearComment(thread, comment)
        while (thread.cursor !== null) thread = addEarlier(thread, server.page(Number(thread.cursor), 3))
        for (const comment of shuffled.toReversed()) thread = hearComment(thread, comment)
        const whole = openThread(server.page(Number.POSITIVE_INFINITY, 1_000), [])
        expect(viewThread(thread)).toEqual(viewThread(whole))
      },
    ),
    { numRuns: 1_000 },
  )
})

it('[FEED-3] a deleted comment holds its answers together, counts for nothing, and goes with the last of them', () => {
  const [root, reply] = [aComment({ id: 1, version: 1 }), aComment({ id: 2, version: 2, parent: 1 })]
  const page: ThreadPage = { comments: [root, reply], cursor: null, talk: { ...NO_TALK, version: 2 } }
  const deleted = hearComment(openThread(page, []), { ...root, version: 3, deleted: true, text: '' })
  expect(viewThread(deleted).map((view) => [view.root.deleted, view.replies.length])).toEqual([[true, 1]])
  expect(shownCount(viewThread(deleted))).toBe(1)
  expect(viewThread(hearComment(deleted, { ...reply, version: 4, deleted: true }))).toEqual([])
})
