import { texts } from '../texts/shell.ts'

export function Skeleton({ className = '' }: { className?: string }) {
  return <span aria-hidden="true" className={`shimmer block rounded-4 ${className}`} />
}

/** Lines of a list that is on its way; the region says so once, the shapes stay silent. */
export function SkeletonLines({ count = 5 }: { count?: number }) {
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">{texts.loading}</span>
      {Array.from({ length: count }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity and never move.
        <div key={line} className="flex items-center gap-3">
          <Skeleton className="size-7 rounded-full!" />
          <div className="grid flex-1 gap-2">
            <Skeleton className={`h-3 ${['w-1/2', 'w-2/3', 'w-2/5'][line % 3]}`} />
            <Skeleton className="h-3 w-3/4 opacity-60" />
          </div>
        </div>
      ))}
    </div>
  )
}
