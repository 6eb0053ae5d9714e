// A question or a form in front of the page. Loaded with the first dialog that opens.
import { Suspense, useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import type { DialogProps } from './dialog-props.ts'

const DialogLayer = lazyPart(
  () => import('./dialog-layer.tsx'),
  (module) => module.DialogLayer,
)

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
