import { Suspense } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'

const Bell = lazyPart(
  () => import('./bell.tsx'),
  (module) => module.Bell,
)

/** Its place is kept while it loads, so that nothing moves when it comes. */
export const LazyBell = () => (
  <Suspense fallback={<span className="size-(--control-h) flex-none pointer-coarse:size-11" />}>
    <Bell />
  </Suspense>
)
