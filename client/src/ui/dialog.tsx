// A question or a form in front of the page. Loaded with the first dialog that opens.
import { lazy, Suspense, useState } from 'react'
import type { DialogProps } from './dialog-props.ts'

const DialogLayer = lazy(() => import('./dialog-layer.tsx').then((module) => ({ default: module.DialogLayer })))

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
