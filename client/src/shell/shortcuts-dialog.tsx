import { texts } from '../texts/shell.ts'
import { Dialog } from '../ui/dialog.tsx'
import { KeyList } from './about.tsx'

export function ShortcutsDialog({ onOpenChange }: { onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open onOpenChange={onOpenChange} title={texts.keyboard.dialog} className="md:w-96!">
      <div className="px-5 pt-2 pb-5">
        <KeyList more />
      </div>
    </Dialog>
  )
}
