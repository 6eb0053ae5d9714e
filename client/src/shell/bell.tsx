// The bell: how much is waiting, everywhere the same number (bell, tab title, icon), and what it is. Loaded after the
// first sight of the feed.

import { useNotices } from '../hooks/useNotices.ts'
import { useUnreadCounts } from '../hooks/useUnreadCounts.ts'
import { useWaiting } from '../lib/use-title.ts'
import { bellTexts } from '../texts/bell.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Popover } from '../ui/popover.tsx'
import { BellPanel } from './bell-panel.tsx'
import { useDesktopCalls } from './use-desktop-calls.ts'

export function Bell() {
  const mentions = useUnreadCounts()?.mentions ?? 0
  const notices = useNotices()
  const waiting = mentions + (notices?.unread ?? 0)
  useWaiting(waiting)
  useDesktopCalls()
  return (
    <span className="relative flex-none">
      <Popover
        label={bellTexts.title}
        className="w-[min(400px,calc(100vw-16px))]"
        trigger={<IconButton icon="bell" label={bellTexts.label(waiting)} className="pointer-coarse:size-11!" />}
      >
        {(close) => <BellPanel mentions={mentions} notices={notices?.notices ?? []} onDone={close} />}
      </Popover>
      {waiting > 0 && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute -top-0.5 right-0 min-w-4.5 translate-x-1/4 rounded-full border-2 border-surface bg-accent px-1 text-center text-[0.625rem] leading-3.5 font-semibold text-on-accent tabular-nums"
        >
          {waiting < 1_000 ? waiting : '999+'}
        </span>
      )}
    </span>
  )
}
