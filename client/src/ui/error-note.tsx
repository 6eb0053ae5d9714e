import type { ReactNode } from 'react'
import { texts } from '../texts/shell.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

type Props = {
  title: string
  children?: ReactNode
  onRetry?: () => void
  /** For whoever looks into it; shown small. */
  requestId?: string | undefined
}

/** Something failed, in place: what, what it means, and the way on. */
export function ErrorNote({ title, children, onRetry, requestId }: Props) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-8 bg-bad-tint px-3.5 py-3">
      <Icon name="warning" className="text-bad" />
      <p className="min-w-40 flex-1 text-13">
        <b className="font-semibold">{title}</b> {children}
        {requestId && <span className="block font-mono text-12 text-ink-2">{requestId}</span>}
      </p>
      {onRetry && (
        <Button size="sm" icon="refresh" onClick={onRetry}>
          {texts.tryAgain}
        </Button>
      )}
    </div>
  )
}
