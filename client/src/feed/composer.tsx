// The composer in the page: one line until somebody writes. On phones it is a sheet that opens from anywhere
// (composer-sheet.tsx), so here is nothing.
import { type FocusEvent, Suspense, useEffect, useRef } from 'react'
import { closeComposer, setComposer, useComposer } from '../hooks/useComposer.ts'
import { useOnline } from '../hooks/useOnline.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useMe } from '../lib/use-me.ts'
import { usePhone } from '../lib/use-media.ts'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { ComposerField } from './composer-field.tsx'
import { useComposing } from './use-composing.ts'

const texts = feedTexts.composer

const ComposerBar = lazyPart(
  () => import('./composer-bar.tsx'),
  (module) => module.ComposerBar,
)

export function Composer({ topic }: { topic?: string | undefined }) {
  const phone = usePhone()
  return phone ? null : <PageComposer topic={topic} />
}

function PageComposer({ topic }: { topic: string | undefined }) {
  const { handle, name } = useMe()
  const online = useOnline()
  const { open, asked } = useComposer()
  const composing = useComposing(topic, () => composing.field.current?.focus())
  const { draft, field } = composing
  const unfolded = open || draft.text !== ''

  // Asked for while it is here; that it was asked for on an earlier page moves no focus on this one.
  const answered = useRef(asked)
  useEffect(() => {
    if (asked === answered.current) return
    answered.current = asked
    field.current?.focus()
  }, [asked, field])

  const byPointer = useLastInput()
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (event.currentTarget.contains(event.relatedTarget) || draft.text !== '') return
    // Choosing a topic happens in a panel that floats outside. And folding under a pressed pointer would move what it
    // is about to click, so it stays as it is until a key or another page.
    if (!composing.aiming && !byPointer.current) closeComposer()
  }
  useEffect(() => closeComposer, [])

  if (draft.ownersOnly) {
    return (
      <p className="mr-(--gutter-r) ml-(--gutter-l) flex min-h-9 items-center gap-2 pt-3 text-ink-3">
        <Icon name="lock" size={14} />
        {texts.ownersOnly}
      </p>
    )
  }
  return (
    <section
      aria-label={texts.label}
      onFocus={() => !open && setComposer({ open: true })}
      onBlur={leave}
      className="relative mt-3 mr-(--gutter-r) ml-(--gutter-l) rounded-8 border border-line bg-surface shadow-1 focus-within:border-accent has-aria-invalid:border-bad"
    >
      <div className="flex items-start gap-2.5 pl-2">
        <span className="grid h-10 place-items-center">
          <Avatar handle={handle} name={name} size="24px" />
        </span>
        <ComposerField
          composing={composing}
          onLeave={() => field.current?.blur()}
          className="max-h-40 flex-1 self-center py-2.5 text-14"
          listClassName="floating absolute top-full left-9 mt-1 max-h-72 w-72 rounded-8! p-1"
        />
        {!unfolded && (
          <span className="flex h-10 items-center gap-2 pr-1.5">
            <span className="pointer-coarse:hidden">
              <Kbd>C</Kbd>
            </span>
            <Button size="sm" disabled tabIndex={-1}>
              {texts.post}
            </Button>
          </span>
        )}
      </div>
      {unfolded && (
        <>
          {!online && <p className="px-2.5 pb-1.5 text-12 text-ink-3">{texts.offline}</p>}
          <Suspense fallback={<div className="h-8" />}>
            <ComposerBar composing={composing} size="sm" />
          </Suspense>
        </>
      )}
    </section>
  )
}

/** Whether the last thing somebody used was a pointer, not a key. */
function useLastInput() {
  const byPointer = useRef(false)
  useEffect(() => {
    const note = (event: Event) => {
      byPointer.current = event.type === 'pointerdown'
    }
    addEventListener('pointerdown', note, true)
    addEventListener('keydown', note, true)
    return () => {
      removeEventListener('pointerdown', note, true)
      removeEventListener('keydown', note, true)
    }
  }, [])
  return byPointer
}
