// The way to a reaction: a trigger, and a small palette that floats from it and is loaded when it is first opened.
import { type ComponentProps, Suspense } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { feedTexts } from '../texts/feed.ts'
import { Popover } from '../ui/popover.tsx'

const Palette = lazyPart(
  () => import('./palette.tsx'),
  (module) => module.Palette,
)

type Props = {
  item: FeedItem
  trigger: ComponentProps<typeof Popover>['trigger']
  onOpenChange?: (open: boolean) => void
}

export function ReactButton({ item, trigger, onOpenChange }: Props) {
  return (
    <Popover
      label={feedTexts.talk.react}
      align="start"
      trigger={trigger}
      className="p-1.5"
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      {(close) => (
        <Suspense>
          <Palette item={item} onDone={close} />
        </Suspense>
      )}
    </Popover>
  )
}
