// What is said beside a feed: about the topic, about everything, and the keys.
import type { ReactNode } from 'react'
import type { MemberView, TopicView } from '#shared/topic.ts'
import { usePreferences } from '../lib/preferences.ts'
import { texts } from '../texts/shell.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Kbd } from '../ui/kbd.tsx'

const MOST_PEOPLE = 8

function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="border-line not-last:border-b not-last:pb-5">
      <h2 className="mb-2 text-12 font-semibold text-ink-2">
        {title} {count !== undefined && <span className="font-normal text-ink-3 tabular-nums">{count}</span>}
      </h2>
      {children}
    </section>
  )
}

function Facts({ facts }: { facts: [string, string][] }) {
  return (
    <dl className="mt-3 grid grid-cols-[92px_minmax(0,1fr)] gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-2">{name}</dt>
          <dd className="tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function AboutTopic({ topic, members }: { topic: TopicView; members?: MemberView[] | undefined }) {
  const people = members?.every((member) => member.role === 'owner') ? texts.about.owners : texts.about.members
  return (
    <>
      <Section title={texts.about.title}>
        <p className="text-ink-2">{topic.description || texts.about.none}</p>
        <Facts
          facts={[
            [texts.about.followers, topic.followers.toLocaleString('en')],
            [texts.about.latest, texts.about.latestNo(topic.headNo)],
            [texts.about.posting, texts.topic.posting[topic.posting]],
            [texts.about.kept, texts.about.days],
          ]}
        />
      </Section>
      {members && members.length > 0 && (
        <Section title={people} count={members.length}>
          <ul className="grid gap-2">
            {members.slice(0, MOST_PEOPLE).map((member) => (
              <li key={member.id} className="flex items-center gap-2.5">
                <Avatar handle={member.handle} name={member.name} size="24px" />
                <span className="truncate">{member.name}</span>
                <span className="ml-auto truncate text-12 text-ink-3">@{member.handle}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

export function AboutAll({ mentions, following }: { mentions: boolean; following: number }) {
  return (
    <Section title={texts.about.title}>
      <p className="text-ink-2">{mentions ? texts.about.mentions : texts.about.all}</p>
      <Facts
        facts={[
          [texts.about.following, texts.about.topics(following)],
          [texts.about.kept, texts.about.days],
        ]}
      />
    </Section>
  )
}

export function KeyList({ more = false }: { more?: boolean }) {
  const { shortcuts } = usePreferences()
  const rows = more ? [...texts.keyboard.list, ...texts.keyboard.more] : texts.keyboard.list
  return (
    <>
      {!shortcuts && <p className="mb-2 text-ink-2">{texts.keyboard.off}</p>}
      <ul className="grid gap-1.5">
        {rows.map((row) => (
          <li key={row.text} className="flex min-h-5 items-center justify-between gap-3 text-ink-2">
            <span>{row.text}</span>
            <span className="flex gap-1">
              {row.keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

export function Keys() {
  return (
    <Section title={texts.keyboard.title}>
      <KeyList />
    </Section>
  )
}
