import * as Radix from 'radix-ui/toast'
import { texts } from '../texts/shell.ts'
import { Icon } from './icon.tsx'
import type { ShownToast } from './toast-note.ts'

/** Long enough to read and reach Undo; Radix holds it while the toast is hovered or focused. */
const STAYS_MS = 8_000

export function ToastLayer({ shown, onDrop }: { shown: ShownToast[]; onDrop: (id: number) => void }) {
  return (
    <Radix.Provider duration={STAYS_MS} swipeDirection="down" label={texts.toast.label}>
      {shown.map((toast) => (
        <Radix.Root
          key={toast.id}
          type={toast.tone === 'bad' ? 'foreground' : 'background'}
          onOpenChange={(open) => !open && onDrop(toast.id)}
          className="flex min-h-11 max-w-full animate-[rise_var(--t-slow)_var(--ease-out)] items-center gap-3 rounded-8 bg-raised py-1.5 pr-1.5 pl-3.5 shadow-3"
        >
          {toast.tone === 'bad' && <Icon name="warning" className="text-bad" />}
          <Radix.Description className="min-w-0 flex-1 text-13">{toast.text}</Radix.Description>
          {toast.action && (
            <Radix.Action
              altText={toast.action.text}
              onClick={toast.action.run}
              className="h-8 rounded-6 px-2 font-medium text-accent-text hover:bg-active"
            >
              {toast.action.text}
            </Radix.Action>
          )}
          <Radix.Close
            aria-label={texts.close}
            className="grid size-8 flex-none place-items-center rounded-6 text-ink-3 hover:bg-active"
          >
            <Icon name="x" size={14} />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="fixed bottom-[calc(16px+env(safe-area-inset-bottom))] left-1/2 z-(--z-toast) grid w-max max-w-[calc(100vw-32px)] -translate-x-1/2 justify-items-center gap-2 max-md:bottom-[calc(var(--bottombar-h)+12px+env(safe-area-inset-bottom))]" />
    </Radix.Provider>
  )
}
