import { texts } from '../texts/shell.ts'

export function Skeleton({ className = '' }: { className?: string }) {
  return <span aria-hidden="true" className={`shimmer block rounded-4 ${className}`} />
}

const WIDTHS = ['w-1/2', 'w-2/3', 'w-2/5']

/** Lines of a list that is on its way; the region says so once, the shapes stay silent. */
export function SkeletonLines({ count = 5 }: { count?: number }) {
  const lines = Array.from({ length: count }, (_, no) => ({ name: `line-${no}`, width: WIDTHS[no % WIDTHS.length] }))
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">{texts.loading}</span>
      {lines.map(({ name, width }) => (
        <div key={name} className="flex items-center gap-3">
          <Skeleton className="size-7 rounded-full!" />
          <div className="grid flex-1 gap-2">
            <Skeleton className={`h-3 ${width}`} />
            <Skeleton className="h-3 w-3/4 opacity-60" />
          </div>
        </div>
      ))}
    </div>
  )
}
