// What the tabs of one person in one browser say to each other. The one that holds the connection numbers its messages
// from its election on, so that a tab which missed one knows it.
import type { FeedPage } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { Ladder } from './ladder.ts'
import type { LiveEvent } from './live-event.ts'

export type LeaderNews =
  /** How the connection is, and the position up to which everything has been told. `counts` in answers to a hello. */
  | {
      type: 'state'
      ladder: Ladder
      syncedAt: number | null
      position: string | null
      counts: UnreadCounts | null
    }
  /** What is told from here on goes on after this position. */
  | { type: 'opened'; after: string | null }
  | { type: 'event'; event: LiveEvent }
  /** The answer to a poll from that position. */
  | { type: 'page'; after: string; page: FeedPage }

/** `term`: when it was elected. The clock is the same for all tabs, so the latest one is the one in office. */
export type LeaderMessage = { from: 'leader'; term: number; n: number; news: LeaderNews }

export type TabMessage =
  | LeaderMessage
  /** Somebody new, or somebody who wonders whether there is a leader: it answers with its state. */
  | { from: 'tab'; type: 'hello' }
  | { from: 'tab'; type: 'try-now' }
  /** The leader gives up its office of its own will. */
  | { from: 'leader'; type: 'bye' }

export const isLeaderMessage = (message: TabMessage): message is LeaderMessage => 'news' in message
