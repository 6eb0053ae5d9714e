import { useId, useState } from 'react'
import { developerTexts } from '../texts/developers.ts'
import { useTopics } from '../topics/use-topics.ts'
import { Tabs, tabId } from '../ui/tabs.tsx'
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
  const panelId = useId()
  const [way, setWay] = useState<Way>('curl')
  const topic = useTopics().data?.find(({ mayPost }) => mayPost)?.name ?? 'project/apollo'
  const text = WAYS[way].write({ origin: location.origin, topic })
  return (
    <Section title={t.title}>
      <div className="min-w-0 overflow-hidden rounded-8 border border-line">
        <div className="border-b border-line px-3">
          <Tabs
            label={t.label}
            panelId={panelId}
            value={way}
            onChange={setWay}
            tabs={NAMES.map((value) => ({ value, text: t[value] }))}
          >
            <CopyButton label={t.title} text={text} />
          </Tabs>
        </div>
        <div role="tabpanel" id={panelId} aria-labelledby={tabId(panelId, way)}>
          {/* Can be reached and scrolled by keyboard. */}
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            aria-label={t[way]}
            className="overflow-x-auto bg-sunken px-3.5 py-3 focus-visible:shadow-ring-inset"
          >
            <pre className="font-mono text-12 leading-5">
              <code>{text}</code>
            </pre>
          </section>
          <p className="border-t border-line px-3.5 py-2 text-12 text-ink-2">{WAYS[way].note}</p>
        </div>
      </div>
    </Section>
  )
}
