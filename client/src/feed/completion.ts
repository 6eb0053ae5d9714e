// What somebody is about to name while writing: `@` and a person, `#` and a topic. Pure: where the name stands, which
// topics fit, and what the text becomes once one is chosen.

export type Naming = { mark: '@' | '#'; from: number; to: number; query: string }

// A mark counts at the beginning of a word only, as in shared/activity.ts: not inside an e-mail address or a path.
const BEFORE_CARET = /(?<![\w@#/.-])([@#])([a-z0-9_./-]{0,50})$/i

/** The name that ends at the caret, or null. */
export function namingAt(text: string, caret: number): Naming | null {
  if (/^[\w/-]/.test(text.slice(caret))) return null
  const match = BEFORE_CARET.exec(text.slice(0, caret))
  if (!match) return null
  return { mark: match[1] as Naming['mark'], from: match.index, to: caret, query: match[2]!.toLowerCase() }
}

/** What stands in place of the name: with a space behind it, unless there is one already. */
export const replacement = (text: string, naming: Naming, name: string): string =>
  `${naming.mark}${name}${/^\s/.test(text.slice(naming.to)) ? '' : ' '}`

type Choosable = { name: string; following: boolean }

/** Followed topics first, then by how well the name fits: its own beginning, the kind's beginning, anywhere. */
export function rankTopics<T extends Choosable>(topics: readonly T[], typed: string, most: number): T[] {
  const query = typed.trim().toLowerCase().replace(/^#/, '')
  const rank = ({ name, following }: T): number | null => {
    const at = name.indexOf(query)
    if (at < 0) return null
    const fit = at === name.indexOf('/') + 1 ? 0 : at === 0 ? 1 : 2
    return (query === '' ? 0 : fit * 2) + (following ? 0 : 1)
  }
  return topics
    .map((topic) => ({ topic, rank: rank(topic) }))
    .filter((entry): entry is { topic: T; rank: number } => entry.rank !== null)
    .sort((a, b) => a.rank - b.rank || a.topic.name.localeCompare(b.topic.name, 'en'))
    .slice(0, most)
    .map(({ topic }) => topic)
}
