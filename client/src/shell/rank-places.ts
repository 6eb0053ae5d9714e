// Which places fit what somebody typed, best first: the name's beginning, then a word's beginning, then anywhere.

export type Place = { to: string; text: string; followed: boolean }

/** Lower is better; null when it does not fit at all. */
function score(text: string, query: string): number | null {
  const lower = text.toLowerCase()
  const name = lower.slice(lower.indexOf('/') + 1)
  if (lower === query || name === query) return 0
  if (name.startsWith(query)) return 1
  if (lower.startsWith(query)) return 2
  const at = lower.indexOf(query)
  if (at < 0) return null
  return /[^a-z0-9]/.test(lower[at - 1] ?? '') ? 3 : 4
}

/** Without a query, what is followed comes first; ties keep the order of the names. */
export function rankPlaces(all: Place[], typed: string, most = 12): Place[] {
  const query = typed.trim().toLowerCase().replace(/^[#@]/, '')
  return all
    .map((place) => ({ place, rank: query === '' ? 0 : score(place.text, query) }))
    .filter((entry): entry is { place: Place; rank: number } => entry.rank !== null)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(b.place.followed) - Number(a.place.followed) ||
        a.place.text.localeCompare(b.place.text, 'en'),
    )
    .slice(0, most)
    .map((entry) => entry.place)
}
