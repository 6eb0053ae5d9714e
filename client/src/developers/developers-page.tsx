// What developers need in one place: keys and sources on the way in, webhooks on the way out, lines to paste, and what
// is being asked right now.

import { useTitle } from '../lib/use-title.ts'
import { developerTexts } from '../texts/developers.ts'
import { Examples } from './examples.tsx'
import { KeysSection } from './keys-section.tsx'
import { RequestLog } from './request-log.tsx'
import { WebhooksSection } from './webhooks-section.tsx'

const t = developerTexts

export function DevelopersPage() {
  useTitle(t.title)
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-340 px-4 py-5 md:px-8 md:py-4.5">
        <div className="mb-4">
          <h1 className="text-20 font-semibold tracking-tight max-md:hidden">{t.title}</h1>
          <p className="text-ink-2">{t.hint}</p>
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-x-7 gap-y-5 min-[1100px]:grid-cols-[minmax(0,1.24fr)_minmax(0,1fr)]">
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-5">
            <KeysSection />
            <WebhooksSection />
          </div>
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-5">
            <Examples />
            <RequestLog />
          </div>
        </div>
      </div>
    </div>
  )
}
