import { webhookTexts } from '../texts/webhooks.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { CopyBlock } from './copy-block.tsx'

const t = webhookTexts.ready
const CHECK = `import { Webhook } from 'standardwebhooks'

const message = new Webhook(secret).verify(body, headers)`

/** The only sight of a secret: nothing but the button closes it. */
export function ShowSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog open firm onOpenChange={onClose} title={t.title} className="md:w-[min(600px,calc(100vw-32px))]!">
      <div className="grid gap-4 px-5 pt-2 pb-5">
        <p className="flex gap-2 rounded-8 bg-warn-tint px-3 py-2 text-warn">
          <Icon name="warning" className="mt-0.5" />
          {t.once}
        </p>
        <CopyBlock label={t.secret} text={secret} />
        <CopyBlock label={t.check} text={CHECK} />
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            {t.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
