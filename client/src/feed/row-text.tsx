// What somebody wrote, as text: people, topics, addresses and code are marked, and nothing in it is ever HTML. Long
// texts are folded, so that one post does not push everything else off the screen.
import { useQuery } from '@tanstack/react-query'
import { Fragment, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { places } from '../lib/places.ts'
import { trpc } from '../lib/trpc.ts'
import { feedTexts } from '../texts/feed.ts'
import { parseText, type TextPart } from './rich-text.ts'
import { OutLink } from './row-headline.tsx'

const LONG_CHARS = 600
const LONG_LINES = 8

const isLong = (text: string) => text.length > LONG_CHARS || text.split('\n').length > LONG_LINES

type Props = { text: string; handle: string }

export function TextParts({ text, handle }: Props) {
  const { data: topics } = useQuery(trpc.topics.list.queryOptions())
  const parts = useMemo(() => {
    const names = new Set(topics?.map((topic) => topic.name))
    return placed(parseText(text, (name) => names.has(name)))
  }, [text, topics])
  return parts.map(({ part, at }) => (
    <Fragment key={at}>
      <Part part={part} handle={handle} />
    </Fragment>
  ))
}

export function RowText({ text, handle }: Props) {
  const [open, setOpen] = useState(false)
  const long = isLong(text)
  return (
    <div className="mt-0.5 max-w-(--measure) text-14 max-md:text-15">
      <p className={`wrap-anywhere whitespace-pre-wrap ${long && !open ? 'line-clamp-6' : ''}`}>
        <TextParts text={text} handle={handle} />
      </p>
      {long && (
        <button
          type="button"
          data-fold
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="-ml-1 min-h-(--target-min) rounded-4 px-1 text-13 font-medium text-accent-text hover:underline"
        >
          {open ? feedTexts.row.showLess : feedTexts.row.showMore}
        </button>
      )}
    </div>
  )
}

/** Each part with the place where it begins, which is what makes it itself. */
function placed(parts: TextPart[]): { part: TextPart; at: number }[] {
  let at = 0
  return parts.map((part) => {
    const here = at
    at += part.text.length
    return { part, at: here }
  })
}

const LINK = 'font-medium text-accent-text no-underline hover:underline'

function Part({ part, handle }: { part: TextPart; handle: string }) {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'person':
      return part.handle === handle ? (
        <span className="rounded-4 bg-mention-chip px-1 py-px font-medium text-mention">{part.text}</span>
      ) : (
        <span className="font-medium text-accent-text">{part.text}</span>
      )
    case 'topic':
      return (
        <Link to={places.topic(part.text)} className={LINK}>
          {part.text}
        </Link>
      )
    case 'link':
      return (
        <OutLink url={part.url} className={LINK}>
          {part.text}
        </OutLink>
      )
    case 'code':
      return (
        <code className="rounded-4 border border-line-faint bg-sunken px-1 py-px font-mono text-[0.86em]">
          {part.text}
        </code>
      )
  }
}
