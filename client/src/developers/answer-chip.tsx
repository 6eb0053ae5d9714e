import { webhookTexts } from '../texts/webhooks.ts'
import { Chip } from '../ui/chip.tsx'

const t = webhookTexts.log

/** How a try ended: a status, no answer at all, or not yet. */
export function AnswerChip({ last }: { last: { status: number | null; error: string | null } | null }) {
  if (!last) return <Chip>{t.held}</Chip>
  if (last.status === null) return <Chip tone="bad">{t.noAnswer}</Chip>
  return <Chip tone={last.status < 300 ? 'ok' : 'bad'}>{last.status}</Chip>
}
