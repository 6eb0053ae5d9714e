import { useMutation } from '@tanstack/react-query'
import type { KeyView } from '#shared/api-key.ts'
import { queryClient } from '../lib/query-client.ts'
import { trpc } from '../lib/trpc.ts'
import { keyTexts } from '../texts/keys.ts'
import { texts } from '../texts/shell.ts'
import { sentence } from '../topics/use-topics.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useToast } from '../ui/toast.tsx'

const t = keyTexts

export function RevokeKey({ apiKey: { id, name }, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const toast = useToast()
  const revoke = useMutation(
    trpc.apiKeys.revoke.mutationOptions({
      onSuccess: async () => {
        onClose()
        toast.show({ text: t.revoked(name) })
        await queryClient.invalidateQueries(trpc.apiKeys.list.queryFilter())
      },
    }),
  )
  return (
    <Dialog open onOpenChange={onClose} title={t.revokeAsk(name)} description={t.revokeHint}>
      <div className="grid gap-4 px-5 pt-3 pb-5">
        {revoke.error && <ErrorNote title={texts.failed.notSaved}>{sentence(revoke.error)}</ErrorNote>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button look="danger" busy={revoke.isPending} onClick={() => revoke.mutate({ id })}>
            {t.revoke}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
