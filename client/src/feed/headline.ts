// What happened, in one line: actor, verb, object, and the rest quietly. Known verbs read as people would say them;
// unknown ones still make a sentence.
import type { Activity, Thing } from '#shared/activity.ts'
import { feedTexts } from '../texts/feed.ts'
import type { BadgeTone, ToolTone } from '../ui/avatar.tsx'
import type { IconName } from '../ui/icon.tsx'
import { numberIn, textIn } from './metadata.ts'
import { safeUrl } from './rich-text.ts'
import { duration } from './when.ts'

export type HeadlinePart =
  | { kind: 'actor'; text: string }
  | { kind: 'plain'; text: string }
  | { kind: 'object'; text: string; url: string | null }
  | { kind: 'quiet'; text: string }

type Way = {
  /** Between actor and object. */
  verb: string
  /** Between object and target. */
  to?: string
  icon: IconName
  tone?: BadgeTone & ToolTone
  /** The target is what it happened to, and the object says with what. */
  targetFirst?: boolean
}

const WAYS: Record<string, Way> = {
  posted: { verb: 'posted', to: 'in', icon: 'comment' },
  commented: { verb: 'commented on', to: 'in', icon: 'comment' },
  replied: { verb: 'replied to', to: 'in', icon: 'comment' },
  mentioned: { verb: 'mentioned', to: 'in', icon: 'at' },
  pushed: { verb: 'pushed', to: 'to', icon: 'commit' },
  merged: { verb: 'merged', to: 'into', icon: 'merge', tone: 'merged' },
  opened: { verb: 'opened', to: 'in', icon: 'issue' },
  reopened: { verb: 'reopened', to: 'in', icon: 'issue' },
  closed: { verb: 'closed', to: 'in', icon: 'check' },
  assigned: { verb: 'assigned', to: 'to', icon: 'user' },
  reviewed: { verb: 'reviewed', to: 'in', icon: 'eye' },
  approved: { verb: 'approved', to: 'in', icon: 'check', tone: 'ok' },
  deployed: { verb: 'put', to: 'on', icon: 'rocket', tone: 'ok' },
  released: { verb: 'released', to: 'in', icon: 'tag' },
  created: { verb: 'created', to: 'in', icon: 'plus' },
  updated: { verb: 'updated', to: 'in', icon: 'pencil' },
  deleted: { verb: 'deleted', to: 'from', icon: 'trash' },
  started: { verb: 'started', to: 'on', icon: 'play' },
  failed: { verb: 'failed on', icon: 'x', tone: 'bad', targetFirst: true },
  passed: { verb: 'passed on', icon: 'check', tone: 'ok', targetFirst: true },
  succeeded: { verb: 'succeeded on', icon: 'check', tone: 'ok', targetFirst: true },
}

const ofUnknown = (verb: string): Way => ({ verb: verb.replace(/[._-]+/g, ' '), to: 'in', icon: 'file' })

const wayOf = (verb: string): Way => (Object.hasOwn(WAYS, verb) ? WAYS[verb]! : ofUnknown(verb))

export const KNOWN_VERBS = Object.keys(WAYS)

export const verbName = (verb: string): string => {
  const words = verb.replace(/[._-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The small sign on the avatar; for tools the sign itself. */
export function signOf(item: Activity, mentionsReader: boolean): { icon: IconName; tone: BadgeTone & ToolTone } | null {
  if (mentionsReader) return { icon: 'at', tone: 'mention' as BadgeTone & ToolTone }
  if (item.verb === 'posted' && item.actor.kind === 'person') return null
  const { icon, tone = 'plain' } = wayOf(item.verb)
  return { icon, tone: tone as BadgeTone & ToolTone }
}

const named = (thing: Thing): HeadlinePart => ({
  kind: 'object',
  text: thing.title ?? thing.id,
  url: safeUrl(thing.url),
})
const plain = (text: string): HeadlinePart => ({ kind: 'plain', text })

export function headlineOf(item: Activity, reader: { id: string; handle: string }): HeadlinePart[] {
  const way = wayOf(item.verb)
  const isOwn = item.actor.kind === 'person' && item.actor.id === reader.id
  const actor: HeadlinePart = { kind: 'actor', text: isOwn ? feedTexts.row.you : item.actor.name }
  const parts: HeadlinePart[] = [actor, ...happened(item, way)]
  const seconds = numberIn(item.metadata, 'seconds', 'durationSeconds')
  if (seconds !== null) parts.push({ kind: 'quiet', text: `· ${duration(seconds * 1_000)}` })
  return parts
}

function happened({ object, target, verb }: Activity, way: Way): HeadlinePart[] {
  if (way.targetFirst && target) {
    const rest: HeadlinePart[] = object
      ? [{ kind: 'quiet', text: `· ${object.type}` }, plain(object.title ?? object.id)]
      : []
    return [plain(way.verb), named(target), ...rest]
  }
  if (way.targetFirst) return object ? [plain(way.verb), named(object)] : [plain(verb)]
  if (!object) {
    // "commented on" with nothing to comment on reads as "commented".
    const bare = way.verb.replace(/ (on|to)$/, '')
    return target ? [plain(`${bare} ${way.to ?? 'in'}`), named(target)] : [plain(verb === 'deployed' ? verb : bare)]
  }
  const start = [plain(verb === 'deployed' && !target ? verb : way.verb), named(object)]
  return target ? [...start, { kind: 'quiet', text: way.to ?? 'in' }, named(target)] : start
}

/** What opens with Enter: the thing it is about. */
export const mainUrl = (item: Activity): string | null =>
  safeUrl(item.object?.url) ?? safeUrl(item.target?.url) ?? safeUrl(textIn(item.metadata, 'url', 'logUrl') ?? undefined)

export const headlineText = (item: Activity, reader: { id: string; handle: string }): string =>
  headlineOf(item, reader)
    .map((part) => part.text)
    .join(' ')
