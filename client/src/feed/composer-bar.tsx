// Below the text, the same on every width: where it goes, what can be named, how much room is left, and Post.
import { feedTexts } from '../texts/feed.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { ComposerTarget } from './composer-target.tsx'
import type { Composing } from './use-composing.ts'

const texts = feedTexts.composer
/** From here on the rest is counted. */
const COUNT_BELOW = 400

export function ComposerBar({ composing, size }: { composing: Composing; size: 'md' | 'sm' }) {
  const { draft, aiming, setAiming, mention, send } = composing
  const { target, topics, ready, left, aim } = draft
  return (
    <div className="flex items-center gap-1 px-1.5 pb-1.5">
      <ComposerTarget target={target} topics={topics} open={aiming} onOpenChange={setAiming} onAim={aim} />
      <IconButton icon="at" label={texts.mention} onClick={mention} className="size-(--control-h-sm)!" />
      <span className="flex-1" />
      {left < COUNT_BELOW && (
        <span role="status" className={`px-1 text-12 tabular-nums ${left < 0 ? 'text-bad' : 'text-ink-3'}`}>
          {texts.left(left)}
        </span>
      )}
      <span className="mr-1.5 hidden md:block pointer-coarse:hidden">
        <Kbd>{texts.keys}</Kbd>
      </span>
      <Button look="primary" size={size} disabled={!ready} onClick={send}>
        {texts.post}
      </Button>
    </div>
  )
}
