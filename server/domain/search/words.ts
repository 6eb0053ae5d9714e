// Words are letters and digits between anything else, in what is stored and in what somebody types, so that `build-7` and
// `2.4.0` are found by their parts. A typed word stands for every word that begins with it: a search works while it is
// being typed, and no language's endings have to be known.
import type { Actor, PublishInput } from '#shared/activity.ts'

/** More than anybody types on purpose; each costs a lookup. */
const WORDS_MAX = 8

/** Postgres keeps no word beyond 2,046 bytes; a character has up to three of them for each unit of its length. */
const WORD_MAX_CHARS = 680

export const WORD = /[\p{L}\p{N}\p{M}]+/gu

type Findable = Pick<PublishInput, 'verb' | 'summary' | 'object' | 'target'>

export function wordsOf(query: string): string[] {
  return [...new Set(split(query))].slice(0, WORDS_MAX)
}

/** What an activity is found by. People are found by their current names, which are not kept with it. */
export function wordsToFind(actor: Actor, { verb, summary, object, target }: Findable): string[] {
  const tool = actor.kind === 'tool' ? actor.name : ''
  const things = [object, target].map((thing) => (thing ? `${thing.title ?? ''} ${thing.id}` : ''))
  return split(`${tool} ${verb} ${summary} ${things.join(' ')}`).filter((word) => word.length <= WORD_MAX_CHARS)
}

const split = (text: string): string[] => text.toWellFormed().toLowerCase().match(WORD) ?? []
