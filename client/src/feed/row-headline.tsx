// The line that says what happened. Names and objects stand out; objects with an address are links that leave the page.
import { Fragment } from 'react'
import { Link } from 'wouter'
import type { FeedItem } from '#shared/feed.ts'
import { places } from '../lib/places.ts'
import { feedTexts } from '../texts/feed.ts'
import type { HeadlinePart } from './headline.ts'

type Props = {
  item: FeedItem
  parts: HeadlinePart[]
  /** Unread. */
  strong: boolean
  id: string
  /** Where several topics stand in one list. */
  showTopic: boolean
}

export function RowHeadline({ item, parts, strong, id, showTopic }: Props) {
  return (
    <p id={id} className="min-w-0 flex-1 wrap-anywhere text-ink-2">
      {parts.map((part, at) => (
        <Fragment key={`${part.kind} ${part.text}`}>
          {at > 0 && ' '}
          <Part part={part} strong={strong} />
        </Fragment>
      ))}
      {showTopic && (
        <>
          {' '}
          <span className="inline-block max-w-full truncate align-bottom text-ink-3 max-md:block max-md:text-12">
            <span className="max-md:hidden">· </span>
            <Link to={places.topic(item.topic.name)} className="text-ink-3 no-underline hover:text-ink hover:underline">
              {item.topic.name}
            </Link>
          </span>
        </>
      )}
    </p>
  )
}

function Part({ part, strong }: { part: HeadlinePart; strong: boolean }) {
  const weight = strong ? 'font-semibold' : 'font-medium'
  switch (part.kind) {
    case 'actor':
      return <span className={`text-ink ${weight}`}>{part.text}</span>
    case 'object':
      return part.url === null ? (
        <span className={`text-ink ${weight}`}>{part.text}</span>
      ) : (
        <OutLink url={part.url} className={`text-ink ${weight} no-underline hover:underline`}>
          {part.text}
        </OutLink>
      )
    case 'quiet':
      return <span className="whitespace-nowrap text-ink-3">{part.text}</span>
    case 'plain':
      return part.text
  }
}

type OutLinkProps = { url: string; className: string; children: string }

/** A link to somewhere else. The address has been checked: only http and https get here. */
export function OutLink({ url, className, children }: OutLinkProps) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={className}>
      {children}
      <span className="sr-only"> ({feedTexts.row.newTab})</span>
    </a>
  )
}
