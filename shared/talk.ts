// What is said about an activity: reactions and comments. Everything sent about them is absolute and has the
// conversation's version, which grows by one with every change: whoever has a newer one keeps it, so neither order nor
// repetition matters. Counts and one's own reaction are two registers, since an event tells of one person only.
import type { Person } from './person.ts'

export type ReactionCount = { emoji: string; count: number }

/** What everybody sees of a conversation, as of a version. */
export type TalkCounts = { version: number; reactions: ReactionCount[]; comments: number }

/** The same as one person sees it. Their own reaction has a version of its own: it changes less often than the rest. */
export type Talk = TalkCounts & { own: { emoji: string | null; version: number } }

export const NO_TALK: Talk = { version: 0, reactions: [], comments: 0, own: { emoji: null, version: 0 } }

export type Comment = {
  id: number
  activity: number
  parent: number | null
  author: Person
  /** Empty when deleted. */
  text: string
  mentions: string[]
  createdAt: string
  editedAt: string | null
  /** Only when it was somebody else than the author. */
  editedBy: Person | null
  deleted: boolean
  version: number
}

/** An event of the topic: the counts as they are now, and what of one person or one comment made them so. */
export type TalkChange = TalkCounts & {
  kind: 'talk'
  activity: number
  reacted: { person: string; emoji: string | null } | null
  comment: Comment | null
  /** Ids of the people who find the comment behind their bell since this change. */
  concerns: string[]
}

/** `comments`: whole threads, those begun last first; `cursor` leads to the ones before. */
export type ThreadPage = { comments: Comment[]; cursor: string | null; talk: Talk }

export type Said = { comment: Comment; talk: Talk }

/** What an event makes of what one person sees. */
export function applyTalk(talk: Talk, change: TalkChange, viewer: string): Talk {
  const counts = change.version > talk.version
  const own = change.reacted?.person === viewer && change.version > talk.own.version
  if (!counts && !own) return talk
  const { version, reactions, comments } = counts ? change : talk
  return {
    version,
    reactions,
    comments,
    own: own ? { emoji: change.reacted!.emoji, version: change.version } : talk.own,
  }
}

/** Of two answers of the server the newer one, part by part; the first again when the second brings nothing. */
export function newerTalk(known: Talk, next: Talk): Talk {
  if (next.version <= known.version && next.own.version <= known.own.version) return known
  const { version, reactions, comments } = next.version > known.version ? next : known
  return { version, reactions, comments, own: next.own.version > known.own.version ? next.own : known.own }
}

/** Counts after somebody exchanged one reaction for another. The order is that of first use, so that nothing jumps. */
export function recount(counts: readonly ReactionCount[], from: string | null, to: string | null): ReactionCount[] {
  if (from === to) return [...counts]
  const next = counts.map(({ emoji, count }) => ({
    emoji,
    count: count + (emoji === to ? 1 : 0) - (emoji === from ? 1 : 0),
  }))
  if (to !== null && !counts.some(({ emoji }) => emoji === to)) next.push({ emoji: to, count: 1 })
  return next.filter(({ count }) => count > 0)
}
