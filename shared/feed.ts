// The feed's questions and answers, used by the API and the client.
import { z } from 'zod'
import { type Activity, verb } from './activity.ts'
import type { UnreadCounts, UpdateEvent } from './live-events.ts'
import type { Talk } from './talk.ts'
import { topicName } from './topic.ts'

export const PAGE_MAX = 100
export const PAGE_DEFAULT = 50
export const MARK_MAX = 500

export const feedFilter = z.enum(['all', 'unread', 'mentions'])
export type FeedFilter = z.infer<typeof feedFilter>

export const feedInput = z.strictObject({
  cursor: z.string().max(100).nullish(),
  limit: z.int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
  filter: feedFilter.default('all'),
  topic: topicName.optional(),
  verb: verb.optional(),
  /** A log position: answer only what came after it. */
  since: z.string().max(60).optional(),
})

export type FeedInput = z.infer<typeof feedInput>

export type FeedItem = Activity & { read: boolean; talk: Talk }

export type FeedPage = {
  items: FeedItem[]
  nextCursor: string | null
  /** Head `seq` of each topic in question, as of this snapshot, by topic id. */
  heads: Record<string, number>
  /** Where to open SSE so that nothing is missed; null while the log's tail has not started. */
  liveCursor: string | null
  followsVersion: number
  /** Only with `since`: events that are not activities, and whether the position was too old to go on from. */
  updates?: UpdateEvent[]
  /** Only with `since`: what is unread now, with its version. */
  unread?: UnreadCounts
  reset?: boolean
}

const activityId = z.int().positive()

export const markInput = z.strictObject({ ids: z.array(activityId).min(1).max(MARK_MAX, `At most ${MARK_MAX} ids.`) })

/** `upTo`: by topic id, the newest `no` that the person was shown. */
export const markAllInput = z.strictObject({
  topic: topicName.optional(),
  upTo: z.record(z.string().regex(/^\d{1,10}$/), z.int().min(0)),
})

/** What a client saw since its last report; bounded, so that one liar cannot drown the others. */
export const lossReport = z.strictObject({
  gaps: z.int().min(0).max(1_000),
  repeats: z.int().min(0).max(1_000),
  breakerOpened: z.int().min(0).max(100),
})

/** A sample of how long activities took from their receipt to the screen, in milliseconds. */
export const renderReport = z.strictObject({ ms: z.array(z.int().min(0).max(60_000)).min(1).max(20) })

export const getInput = z.strictObject({ id: activityId })
