// Short notes at the foot of the page, such as "Marked 18 as read. Undo". Any screen calls `useToast().show`; the part
// that shows them (Radix' toast) arrives with the first one.
import { createContext, type ReactNode, Suspense, useCallback, useContext, useMemo, useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import type { ShownToast, ToastNote } from './toast-note.ts'

export type { ToastNote } from './toast-note.ts'

type Toasts = { show: (note: ToastNote) => void }

const MOST_SHOWN = 3

const ToastLayer = lazyPart(
  () => import('./toast-layer.tsx'),
  (module) => module.ToastLayer,
)

const ToastContext = createContext<Toasts>({ show: () => {} })

let lastId = 0

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<ShownToast[]>([])
  const [used, setUsed] = useState(false)

  const show = useCallback((note: ToastNote) => {
    lastId += 1
    const id = lastId
    setUsed(true)
    setShown((before) => [...before, { ...note, id }].slice(-MOST_SHOWN))
  }, [])
  const drop = useCallback((id: number) => setShown((before) => before.filter((toast) => toast.id !== id)), [])
  const value = useMemo(() => ({ show }), [show])

  return (
    <ToastContext value={value}>
      {children}
      {used && (
        <Suspense>
          <ToastLayer shown={shown} onDrop={drop} />
        </Suspense>
      )}
    </ToastContext>
  )
}

export const useToast = (): Toasts => useContext(ToastContext)
