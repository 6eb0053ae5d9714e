import { keyTexts } from '../texts/keys.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useToast } from '../ui/toast.tsx'

const t = keyTexts.ready

export function CopyButton({ label, text }: { label: string; text: string }) {
  const toast = useToast()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast.show({ text: t.copied })
    } catch {
      // Browsers refuse without a secure origin or permission; the text can still be selected.
      toast.show({ text: t.copyFailed, tone: 'bad' })
    }
  }
  return <IconButton icon="copy" label={t.copy(label)} onClick={() => void copy()} />
}

/** Text that is meant to be taken elsewhere, with a button that copies it. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  return (
    <div className="grid gap-1">
      <p className="text-13 font-medium">{label}</p>
      <div className="flex items-start gap-1 rounded-8 border border-line bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 py-1.5 font-mono text-12 wrap-anywhere whitespace-pre-wrap select-all">
          {text}
        </code>
        <CopyButton label={label} text={text} />
      </div>
    </div>
  )
}
