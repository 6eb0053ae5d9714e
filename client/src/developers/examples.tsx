import { useState } from 'react'
import { developerTexts } from '../texts/developers.ts'
import { useTopics } from '../topics/use-topics.ts'
import { Choice } from '../ui/choice.tsx'
import { CopyButton } from './copy-block.tsx'
import { cloudEventExample, curlExample, githubExample, typescriptExample } from './example.ts'
import { Section } from './section.tsx'

const t = developerTexts.examples

const WAYS = {
  curl: { write: curlExample, note: t.key },
  cloudEvents: { write: cloudEventExample, note: t.key },
  github: { write: githubExample, note: t.githubNote },
  typescript: { write: typescriptExample, note: t.once },
}
type Way = keyof typeof WAYS
const NAMES = Object.keys(WAYS) as Way[]

/** How tools post, with a topic that this person may post to. */
export function Examples() {
  const [way, setWay] = useState<Way>('curl')
  const topic = useTopics().data?.find(({ mayPost }) => mayPost)?.name ?? 'project/apollo'
  const text = WAYS[way].write({ origin: location.origin, topic })
  return (
    <Section title={t.title}>
      <div className="rounded-8 border border-line">
        <div className="flex items-end gap-2 border-b border-line p-2">
          <div className="min-w-0 flex-1 [&_legend]:sr-only">
            <Choice
              label={t.label}
              look="segments"
              value={way}
              onChange={setWay}
              options={NAMES.map((value) => ({ value, text: t[value] }))}
            />
          </div>
          <CopyButton label={t[way]} text={text} />
        </div>
        <pre className="bg-sunken px-3.5 py-3 font-mono text-12 leading-5 wrap-anywhere whitespace-pre-wrap">
          <code>{text}</code>
        </pre>
        <p className="border-t border-line px-3.5 py-2 text-12 wrap-anywhere text-ink-2">{WAYS[way].note}</p>
      </div>
    </Section>
  )
}
