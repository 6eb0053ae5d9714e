// Search: words in, activities out, newest first, with the matching words marked. Whoever asks finds what they could
// also read, and nothing tells of the rest.
import { parseCursor, printCursor } from '#server/domain/feed/cursor.ts'
import { markExcerpt, markWords } from '#server/domain/search/mark-words.ts'
import { wordsOf } from '#server/domain/search/words.ts'
import type { Activity } from '#shared/activity.ts'
import { AppError, noSuchTopic } from '#shared/errors.ts'
import type { SearchHit, SearchInput, SearchPage } from '#shared/search.ts'
import type { SearchStore, TopicStore } from './ports.ts'

type Deps = { search: SearchStore; topics: Pick<TopicStore, 'find'> }

export type SearchActivities = ReturnType<typeof createSearchActivities>

export function createSearchActivities({ search, topics }: Deps) {
  return {
    async page(viewer: string, { q, topic: name, cursor, limit }: SearchInput): Promise<SearchPage> {
      const before = cursor ? parseCursor(cursor) : null
      if (before && !before.ok) throw new AppError(before.code, before.message, { field: 'cursor' })
      const topic = name === undefined ? null : await topics.find(viewer, name)
      if (name !== undefined && !topic) throw noSuchTopic()
      const words = wordsOf(q)
      // While somebody types there may be none yet.
      if (words.length === 0) return { hits: [], nextCursor: null }
      const items = await search.find({
        viewer,
        words,
        topicId: topic?.id ?? null,
        before: before?.value ?? null,
        limit,
      })
      return {
        hits: items.map((item) => toHit(item, words)),
        nextCursor: items.length === limit ? printCursor(items.at(-1)!.id) : null,
      }
    },
  }
}

function toHit(item: Activity, words: string[]): SearchHit {
  const marked = (text: string | undefined) => (text ? markWords(text, words) : [])
  return {
    item,
    marks: {
      actor: marked(item.actor.name),
      object: marked(item.object?.title ?? item.object?.id),
      target: marked(item.target?.title ?? item.target?.id),
      summary: markExcerpt(item.summary, words),
    },
  }
}
