// A question or a form in front of the page. Loaded with the first dialog that opens.
import { lazy, type ReactNode, Suspense, useState } from 'react'

const DialogLayer = lazy(() => import('./dialog-layer.tsx').then((module) => ({ default: module.DialogLayer })))

export type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  /** Centred; from the left edge (drawer); from the bottom edge on phones (sheet). */
  look?: 'centre' | 'drawer' | 'sheet'
  /** The title is read out but not shown. */
  hideTitle?: boolean
  /** Must be answered: Escape and clicks outside do nothing. */
  firm?: boolean
  className?: string
  children: ReactNode
}

export function Dialog(props: DialogProps) {
  // Stays mounted after the first opening, so that closing can be animated.
  const [used, setUsed] = useState(props.open)
  if (props.open && !used) setUsed(true)
  if (!used) return null
  return (
    <Suspense>
      <DialogLayer {...props} />
    </Suspense>
  )
}
