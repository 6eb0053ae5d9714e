// Searching activities: what is asked, and what is found, with the words that matched marked as parts of the text.
import { z } from 'zod'
import type { Activity } from './activity.ts'
import { SEARCH_MAX_CHARS } from './limits.ts'
import { topicName } from './topic.ts'

export const searchInput = z.strictObject({
  q: z.string().max(SEARCH_MAX_CHARS, `At most ${SEARCH_MAX_CHARS} characters.`),
  topic: topicName.optional(),
  cursor: z.string().max(100).nullish(),
  limit: z.int().min(1).max(50).default(20),
})

export type SearchInput = z.infer<typeof searchInput>

/** A text in pieces; `hit` where it is a word that was searched for. Together they are the text, never markup. */
export type Segment = { text: string; hit: boolean }

export type SearchHit = {
  item: Activity
  /** Empty where the item has no such text. `summary` is an excerpt when it is long. */
  marks: { actor: Segment[]; object: Segment[]; target: Segment[]; summary: Segment[] }
}

/** Newest first. */
export type SearchPage = { hits: SearchHit[]; nextCursor: string | null }
