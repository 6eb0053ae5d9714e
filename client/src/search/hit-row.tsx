// One activity that was found: its headline and the part of its text that matched. Its topic is the way to it.
import { Link } from 'wouter'
import type { Person } from '#shared/person.ts'
import type { SearchHit, Segment } from '#shared/search.ts'
import { headlineOf, signOf } from '../feed/headline.ts'
import { exactTime, shortTime } from '../feed/when.ts'
import { places } from '../lib/places.ts'
import { searchTexts } from '../texts/search.ts'
import { TopicName } from '../topics/topic-name.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Marked } from './marked.tsx'

type Props = { hit: SearchHit; me: Person; now: number }

export function HitRow({ hit: { item, marks }, me, now }: Props) {
  const time = Date.parse(item.publishedAt)
  const headline = `hit-${item.id}`
  const sign = signOf(item, false)
  return (
    <li className="not-first:border-t not-first:border-line-faint">
      <article
        aria-labelledby={headline}
        className="grid grid-cols-[var(--avatar)_minmax(0,1fr)] gap-x-(--row-gap) px-1 py-3"
      >
        {item.actor.kind === 'tool' ? (
          <Avatar kind="tool" icon={sign?.icon ?? 'bot'} tone={sign?.tone ?? 'plain'} />
        ) : (
          <Avatar handle={item.actor.handle} name={item.actor.name} {...(sign ? { badge: sign } : {})} />
        )}
        <div className="min-w-0">
          <p id={headline} className="wrap-anywhere text-ink-2">
            <Headline hit={{ item, marks }} me={me} />
          </p>
          {marks.summary.length > 0 && (
            <p dir="auto" className="mt-0.5 max-w-(--measure) text-14 wrap-anywhere max-md:text-15">
              <Marked segments={marks.summary} />
            </p>
          )}
          <p className="mt-0.5 text-12 wrap-anywhere text-ink-3">
            <Link to={places.topic(item.topic.name)} className="text-ink-2 no-underline hover:underline">
              <TopicName name={item.topic.name} />
            </Link>
            {' · '}
            <time dateTime={item.publishedAt} title={exactTime(time)}>
              {shortTime(time, now)}
            </time>
          </p>
        </div>
      </article>
    </li>
  )
}

const textOf = (segments: readonly Segment[]) => segments.map(({ text }) => text).join('')

function Headline({ hit: { item, marks }, me }: { hit: SearchHit; me: Person }) {
  const marked = new Map([marks.actor, marks.object, marks.target].map((segments) => [textOf(segments), segments]))
  return headlineOf(item, me).map((part, at) => {
    const named = part.kind === 'actor' || part.kind === 'object'
    const text = named ? <Marked segments={marked.get(part.text) ?? [{ text: part.text, hit: false }]} /> : part.text
    const words =
      part.kind === 'object' && part.url !== null ? (
        <a
          href={part.url}
          target="_blank"
          rel="noopener noreferrer"
          className="font-medium text-ink no-underline hover:underline"
        >
          {text}
          <span className="sr-only"> ({searchTexts.newTab})</span>
        </a>
      ) : (
        <span className={named ? 'font-medium text-ink' : part.kind === 'quiet' ? 'text-ink-3' : ''}>{text}</span>
      )
    return (
      <span key={`${part.kind} ${part.text}`}>
        {at > 0 && ' '}
        {words}
      </span>
    )
  })
}
