// The rail beside a feed, and the same words in a panel where there is no room for a rail. The feed does not wait for them.
import { type ReactNode, Suspense } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { usePreferences } from '../lib/preferences.ts'

const load = () => import('./about.tsx')
const Keys = lazyPart(load, (module) => module.Keys)
export const AboutAll = lazyPart(load, (module) => module.AboutAll)
export const AboutTopic = lazyPart(load, (module) => module.AboutTopic)

/** Beside the feed from 1280 px on. */
export function Rail({ label, children }: { label: string; children: ReactNode }) {
  const { shortcuts } = usePreferences()
  return (
    <aside
      aria-label={label}
      className="hidden min-h-0 content-start gap-5 overflow-y-auto border-l border-line bg-surface p-5 xl:grid"
    >
      <Suspense>
        {children}
        {shortcuts && <Keys />}
      </Suspense>
    </aside>
  )
}
