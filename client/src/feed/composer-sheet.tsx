// The phone's composer: a sheet over whatever page one is on. It reaches up to the top, because the keyboard covers the
// lower half of a phone's screen.
import { useEffect } from 'react'
import { useRoute } from 'wouter'
import { closeComposer } from '../hooks/useComposer.ts'
import { useOnline } from '../hooks/useOnline.ts'
import { feedTexts } from '../texts/feed.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ComposerBar } from './composer-bar.tsx'
import { ComposerField } from './composer-field.tsx'
import { useComposing } from './use-composing.ts'

const texts = feedTexts.composer

export function ComposerSheet() {
  return (
    <Dialog
      look="sheet"
      title={texts.label}
      open
      onOpenChange={(next) => !next && closeComposer()}
      className="top-4 max-h-none!"
    >
      <SheetContent />
    </Dialog>
  )
}

function SheetContent() {
  const [, match] = useRoute('/t/:kind/:name')
  const online = useOnline()
  const page = match ? `${match.kind}/${match.name}` : undefined
  const composing = useComposing(page, closeComposer)
  const { field } = composing
  useEffect(() => field.current?.focus(), [field])
  return (
    <div className="flex flex-col gap-1 pt-1">
      <ComposerField
        composing={composing}
        className="max-h-[40dvh] min-h-24 px-5 py-2 text-16"
        listClassName="mx-3 max-h-56 rounded-8 border border-line p-1"
      />
      <div className="border-t border-line px-2 pt-1.5">
        {!online && <p className="px-2.5 pb-1.5 text-12 text-ink-3">{texts.offline}</p>}
        <ComposerBar composing={composing} size="md" />
      </div>
    </div>
  )
}
