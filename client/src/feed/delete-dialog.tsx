// Asks before an activity is deleted, since that cannot be undone. Loaded when somebody first wants to.
import type { FeedItem } from '#shared/feed.ts'
import { usePersonLive } from '../live/live-context.ts'
import { editTexts } from '../texts/edit.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export function DeleteDialog({ item, onDone }: { item: FeedItem; onDone: () => void }) {
  const { editor } = usePersonLive()
  return (
    <Dialog open onOpenChange={onDone} title={editTexts.ask} description={editTexts.askHint}>
      <div className="flex justify-end gap-2 px-5 pt-3 pb-5">
        <Button onClick={onDone}>{editTexts.cancel}</Button>
        <Button
          look="danger"
          onClick={() => {
            onDone()
            void editor.remove(item)
          }}
        >
          {editTexts.remove}
        </Button>
      </div>
    </Dialog>
  )
}
