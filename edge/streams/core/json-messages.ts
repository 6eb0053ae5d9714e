// Splits the body of a JSON append into its messages: the elements of an array one level deep, or the one value. The
// text of each message is kept as it was sent: parsing and printing would change large numbers and repeated keys.

/** Null when the text is not JSON. */
export function splitMessages(text: string): string[] | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const trimmed = text.trim()
  return trimmed.startsWith('[') ? elements(trimmed) : [trimmed]
}

/** Of text that is known to be a JSON array. */
function elements(array: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < array.length; at++) {
    const char = array[at]
    if (char === '"') at = closingQuote(array, at)
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    else if (char === ',' && depth === 1) {
      found.push(array.slice(start, at).trim())
      start = at + 1
    }
  }
  const last = array.slice(start, -1).trim()
  return last === '' ? found : [...found, last]
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
