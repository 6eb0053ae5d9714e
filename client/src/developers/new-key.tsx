import { githubPath } from '#shared/ingest-paths.ts'
import type { Outputs } from '../lib/trpc.ts'
import { keyTexts } from '../texts/keys.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { CopyBlock } from './copy-block.tsx'
import { curlLine } from './example.ts'

const t = keyTexts.ready

type Props = { made: Outputs['apiKeys']['create']; onClose: () => void }

/** The only sight of a secret: nothing but the button closes it. */
export function NewKey({ made: { key, secret }, onClose }: Props) {
  const { origin } = location
  return (
    <Dialog open firm onOpenChange={onClose} title={t.title(key.name)} className="md:w-[min(600px,calc(100vw-32px))]!">
      <div className="grid gap-4 px-5 pt-2 pb-5">
        <p className="flex gap-2 rounded-8 bg-warn-tint px-3 py-2 text-warn">
          <Icon name="warning" className="mt-0.5" />
          {t.once}
        </p>
        {key.kind === 'github' ? (
          <>
            <CopyBlock label={t.address} text={`${origin}${githubPath(key.prefix)}`} />
            <CopyBlock label={t.secret} text={secret} />
            <p className="text-ink-2">{t.github}</p>
          </>
        ) : (
          <>
            <CopyBlock label={t.key} text={secret} />
            <CopyBlock label={t.example} text={curlLine({ origin, secret, topic: key.topics[0] ?? '' })} />
          </>
        )}
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            {t.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
