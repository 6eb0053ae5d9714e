// What stands where rows would be: on their way, none, or not to be had. Every wait ends or says what it waits for.
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { errorBody } from '../lib/trpc.ts'
import { feedTexts } from '../texts/feed.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { EmptyProps } from './no-rows.tsx'

const LONG_MS = 10_000
const SHAPES = [
  'w-1/2 first',
  'w-2/3 second',
  'w-2/5 third',
  'w-1/2 fourth',
  'w-3/5 fifth',
  'w-2/5 sixth',
  'w-2/3 seventh',
]

function LoadingRows({ count = SHAPES.length }: { count?: number }) {
  const [long, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status">
      <p className={long ? 'pt-4 pr-(--gutter-r) pl-(--gutter-l) text-ink-2' : 'sr-only'}>
        {long ? feedTexts.loadingLong : feedTexts.loading}
      </p>
      {SHAPES.slice(0, count).map((shape) => (
        <div
          key={shape}
          className="grid grid-cols-[var(--avatar)_minmax(0,1fr)] gap-x-(--row-gap) py-3.5 pr-(--gutter-r) pl-(--gutter-l)"
        >
          <Skeleton className="size-(--avatar) rounded-full!" />
          <div className="grid max-w-(--measure) content-center gap-2.5">
            <Skeleton className={`h-3 ${shape}`} />
            <Skeleton className="h-3 w-3/4 opacity-60" />
          </div>
        </div>
      ))}
    </div>
  )
}

const NoRows = lazyPart(
  () => import('./no-rows.tsx'),
  (module) => module.NoRows,
)

type Props = EmptyProps & {
  stream: { loading: boolean; paused: boolean; error: unknown; retry: () => void }
}

export function InPlaceOfRows({ stream, ...rest }: Props) {
  if (stream.loading && stream.paused) return <UnsavedRows />
  if (stream.error) return <FailedRows error={stream.error} onRetry={stream.retry} />
  if (stream.loading) return <LoadingRows />
  return (
    <Suspense>
      <NoRows {...rest} />
    </Suspense>
  )
}

/** Without a network and never seen before. It is asked for by itself as soon as there is one. */
function UnsavedRows() {
  return (
    <EmptyState icon="waves-off" title={feedTexts.failed.offline}>
      {feedTexts.failed.offlineText}
    </EmptyState>
  )
}

type FailedProps = { error: unknown; onRetry: () => void }

function FailedRows({ error, onRetry }: FailedProps) {
  const body = errorBody(error)
  return (
    <div className="py-4 pr-(--gutter-r) pl-(--gutter-l)">
      <ErrorNote title={feedTexts.failed.first} onRetry={onRetry} requestId={body?.requestId}>
        {body?.message ?? feedTexts.failed.unreachable}
      </ErrorNote>
    </div>
  )
}

type FootProps = {
  hasOlder: boolean
  failed: boolean
  /** When the oldest row of the list was published, as it reads. */
  downTo: string
  onRetry: () => void
}

/** Under the last row: more to come, no way to it, or the end. */
export function ListFoot({ hasOlder, failed, downTo, onRetry }: FootProps) {
  if (failed) {
    return (
      <div className="py-3 pr-(--gutter-r) pl-(--gutter-l)">
        <ErrorNote title={feedTexts.failed.older} onRetry={onRetry}>
          {feedTexts.failed.olderText(downTo)}
        </ErrorNote>
      </div>
    )
  }
  if (hasOlder) return <LoadingRows count={3} />
  return <p className="px-6 py-8 text-center text-12 text-ink-3">{feedTexts.end}</p>
}
