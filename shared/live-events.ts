// What travels over SSE. Log events (`activity`, `update`) have a position as `id:` and (topic, seq) in the data; a
// person's events (`read`, `unread`, `bell`, `control`) have neither, are versioned, and the current ones come on every connect.
import type { Activity } from './activity.ts'
import type { ActivityChange } from './activity-change.ts'
import type { TalkChange } from './talk.ts'
import type { Visibility } from './topic.ts'

export type ActivityEvent = { topic: number; seq: number; activity: Activity }

/** A change of the topic that is not an activity. Values are absolute, so that order of arrival does not matter. */
export type TopicChange =
  | { kind: 'member'; person: { id: string; handle: string; name: string }; state: 'owner' | 'member' | 'removed' }
  | { kind: 'settings'; description: string; visibility: Visibility; posting: 'everyone' | 'owners' }
  | TalkChange
  | ActivityChange

export type UpdateEvent = { topic: number; seq: number; change: TopicChange }

export type LogEvent = { kind: 'activity'; event: ActivityEvent } | { kind: 'update'; event: UpdateEvent }

export type UnreadCounts = {
  /** Unread in all followed topics that are not muted. */
  total: number
  mentions: number
  /** By topic id; topics with nothing unread are left out. */
  topics: Record<string, number>
  /** By topic id, the head `no` that the count is as of: later activities are added by the client itself. */
  heads: Record<string, number>
  /** By topic id, the seq of the newest deletion that the count knows of; left out where nothing was deleted. */
  deletions: Record<string, number>
  /** Grows with every change of the person's read state: older counts never overwrite newer ones. */
  version: number
}

/** Read marks made on another tab or device. `marks` are ranges of `no`, both ends included. */
export type ReadEvent = {
  version: number
  marks: { topic: number; from: number; to: number; read: boolean }[]
}

export type ControlEvent =
  | { type: 'reset'; liveCursor: string | null; reason: 'position-too-old' | 'new-epoch' | 'not-ready' }
  | { type: 'follows'; version: number; topics: number[] }
  | { type: 'drain'; reconnectInMs: number }

/** Comments that concern the person were seen on another tab or device; so many are not. */
export type BellEvent = { unread: number }

export type BeatEvent = { position: string | null; beatAgeMs: number | null }

export type LiveEventName = 'activity' | 'update' | 'read' | 'unread' | 'bell' | 'control' | 'beat'
