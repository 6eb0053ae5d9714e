/** At most `max` characters, with a sign that there was more; never half of a character that takes two. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const kept = text.slice(0, max - 1)
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`
}
