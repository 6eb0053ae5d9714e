// The part of Markdown that our runbooks use, as data: headings, paragraphs, lists, tables, code; code, strong words and links
// inside a line. Everything else stays the text that it is, and nothing ever becomes markup by itself.

export type Inline =
  | { is: 'text'; text: string }
  | { is: 'code'; text: string }
  | { is: 'strong'; text: string }
  | { is: 'link'; text: string; to: string }

export type Block =
  | { is: 'heading'; level: number; inline: Inline[] }
  | { is: 'paragraph'; inline: Inline[] }
  | { is: 'list'; ordered: boolean; items: Inline[][] }
  | { is: 'code'; text: string }
  | { is: 'table'; head: Inline[][]; rows: Inline[][][] }

const FENCE = /^\s*```/
const HEADING = /^(#{1,6})\s+(.*)$/
const ITEM = /^\s*(?:[-*]|(\d+)[.)])\s+(.*)$/
const ROW = /^\s*\|(.*)\|\s*$/
const RULE = /^\s*\|[\s:|-]+\|\s*$/

export function readMarkdown(text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let at = 0
  const take = (fits: (line: string) => boolean): string[] => {
    const taken: string[] = []
    while (at < lines.length && fits(lines[at]!)) taken.push(lines[at++]!)
    return taken
  }
  while (at < lines.length) {
    const line = lines[at]!
    const heading = HEADING.exec(line)
    if (line.trim() === '') at++
    else if (FENCE.test(line)) {
      at++
      blocks.push({ is: 'code', text: take((one) => !FENCE.test(one)).join('\n') })
      at++
    } else if (heading) {
      blocks.push({ is: 'heading', level: heading[1]!.length, inline: readInline(heading[2]!) })
      at++
    } else if (ROW.test(line)) blocks.push(readTable(take((one) => ROW.test(one))))
    else if (ITEM.test(line)) {
      const ordered = ITEM.exec(line)![1] !== undefined
      blocks.push({ is: 'list', ordered, items: readItems(take((one) => ITEM.test(one) || /^\s{2,}\S/.test(one))) })
    } else {
      const own = (one: string) => one.trim() !== '' && ![FENCE, HEADING, ROW, ITEM].some((other) => other.test(one))
      blocks.push({
        is: 'paragraph',
        inline: readInline(
          take(own)
            .map((one) => one.trim())
            .join(' '),
        ),
      })
    }
  }
  return blocks
}

/** A line that is indented and no item of its own goes on with the one above. */
function readItems(lines: string[]): Inline[][] {
  const items: string[] = []
  for (const line of lines) {
    const item = ITEM.exec(line)
    if (item) items.push(item[2]!)
    else items[items.length - 1] += ` ${line.trim()}`
  }
  return items.map(readInline)
}

function readTable(lines: string[]): Block {
  // A bar inside code is not the end of a cell when it is written as \|.
  const cells = (line: string) =>
    ROW.exec(line)![1]!
      .split(/(?<!\\)\|/)
      .map((cell) => readInline(cell.trim().replaceAll('\\|', '|')))
  const [head, ...rows] = lines.filter((line) => !RULE.test(line)).map(cells)
  return { is: 'table', head: head ?? [], rows }
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g

export function readInline(text: string): Inline[] {
  const parts: Inline[] = []
  let last = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) parts.push({ is: 'text', text: text.slice(last, match.index) })
    const [all, code, strong, label, to] = match
    if (code !== undefined) parts.push({ is: 'code', text: code })
    else if (strong !== undefined) parts.push({ is: 'strong', text: strong })
    else parts.push({ is: 'link', text: label!, to: to! })
    last = match.index + all.length
  }
  if (last < text.length) parts.push({ is: 'text', text: text.slice(last) })
  return parts
}

/** Where a link of a runbook leads inside the console; null: out of it, or nowhere that we would send anybody. */
export function runbookOf(link: string): string | null {
  return /^(?:\.\/)?(\w+)\.md(?:#.*)?$/.exec(link)?.[1] ?? null
}

export const isOutside = (link: string): boolean => /^https?:\/\//.test(link)
