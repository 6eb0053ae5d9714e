// Plain text with the parts that mean something found: people, topics, web addresses, code. It stays text: nothing in it
// is ever read as HTML.

export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'person'; text: string; handle: string }
  | { kind: 'topic'; text: string }
  | { kind: 'link'; text: string; url: string }
  | { kind: 'code'; text: string }

// The rule for mentions is the server's (shared/activity.ts); it is repeated here to keep the schemas out of the page.
const PERSON = /(?<![\w@/.-])@([a-z][a-z0-9_-]{1,29})(?![\w@-])/.source
const URL_TEXT = /https?:\/\/[^\s<>"'`]+/.source
const CODE = /`([^`\n]{1,200})`/.source
const TOPIC = /(?<![\w@/.:#-])#?([a-z0-9][a-z0-9-]*\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?)(?![\w/])/.source
const PATTERN = new RegExp(`${CODE}|${URL_TEXT}|${PERSON}|${TOPIC}`, 'gi')

/** Punctuation that ends the sentence, not the address. */
const trimUrl = (url: string): string => {
  const bare = url.replace(/[.,;:!?]+$/, '')
  return bare.endsWith(')') && !bare.includes('(') ? bare.slice(0, -1) : bare
}

export function parseText(text: string, isTopic: (name: string) => boolean): TextPart[] {
  const parts: TextPart[] = []
  let done = 0
  const add = (part: TextPart, start: number, length: number) => {
    if (start > done) parts.push({ kind: 'text', text: text.slice(done, start) })
    parts.push(part)
    done = start + length
  }
  for (const match of text.matchAll(PATTERN)) {
    const [whole, code, handle, topic] = match
    if (code !== undefined) add({ kind: 'code', text: code }, match.index, whole.length)
    else if (handle !== undefined)
      add({ kind: 'person', text: whole, handle: handle.toLowerCase() }, match.index, whole.length)
    else if (topic !== undefined) {
      if (isTopic(topic)) add({ kind: 'topic', text: topic }, match.index, whole.length)
    } else {
      const url = trimUrl(whole)
      if (URL.canParse(url)) add({ kind: 'link', text: url, url }, match.index, url.length)
    }
  }
  if (done < text.length) parts.push({ kind: 'text', text: text.slice(done) })
  return parts
}

/** Only web addresses become links, whatever a source has sent. */
export function safeUrl(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null
  return /^https?:$/.test(new URL(url).protocol) ? url : null
}
