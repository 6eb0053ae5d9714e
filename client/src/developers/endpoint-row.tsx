// One endpoint: where it posts and how that goes; opened, what one can do with it and what was sent.
import { useId, useState } from 'react'
import type { DeliveryState, EndpointView } from '#shared/webhook.ts'
import { shortTime } from '../feed/when.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { Chip, type ChipTone } from '../ui/chip.tsx'
import { Icon } from '../ui/icon.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointActions } from './endpoint-actions.tsx'

const t = webhookTexts

export function EndpointRow({ endpoint }: { endpoint: EndpointView }) {
  const [open, setOpen] = useState(false)
  const panelId = useId()
  const { url, topic, recent, paused, failingSince } = endpoint
  const state = stateOf(endpoint)
  return (
    <li className="border-line-faint not-first:border-t">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
        className={`flex min-h-10 w-full flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-1.5 text-left hover:bg-hover focus-visible:shadow-ring-inset ${open ? 'bg-sunken' : ''}`}
      >
        <Icon name={open ? 'chevron-down' : 'chevron-right'} size={14} className="text-ink-3" />
        <span className="min-w-0 flex-1 basis-45 truncate font-mono text-12 max-sm:basis-[calc(100%-32px)]">{url}</span>
        <Chip {...(topic?.visibility === 'private' ? { icon: 'lock' } : {})}>{topic?.name ?? t.noTopic}</Chip>
        <Bars recent={recent} />
        <Chip tone={state.tone}>{state.text}</Chip>
      </button>
      {open && (
        <div id={panelId} className="grid gap-2 border-t border-line-faint px-3 pt-2.5 pb-3">
          {paused && <p className="text-12 text-ink-2">{t.why[paused]}</p>}
          {!paused && failingSince && (
            <p className="text-12 text-ink-2">{t.since(shortTime(Date.parse(failingSince), Date.now()))}</p>
          )}
          <EndpointActions endpoint={endpoint} />
          <Deliveries endpoint={endpoint} />
        </div>
      )}
    </li>
  )
}

function stateOf({ paused, failingSince, recent }: EndpointView): { tone: ChipTone; text: string } {
  if (paused) return { tone: 'warn', text: t.paused }
  if (failingSince) return { tone: 'bad', text: t.failing }
  return recent.includes('delivered') ? { tone: 'ok', text: t.healthy } : { tone: 'plain', text: t.fresh }
}

const BARS: Record<DeliveryState, string> = {
  delivered: 'bg-ok opacity-75',
  retrying: 'bg-warn',
  failed: 'bg-bad',
  waiting: 'bg-line-strong opacity-60',
}

/** The latest deliveries at a glance, newest at the right. */
function Bars({ recent }: { recent: DeliveryState[] }) {
  if (recent.length === 0) return null
  const delivered = recent.filter((state) => state === 'delivered').length
  return (
    <span className="flex items-end gap-0.5 max-sm:hidden">
      <span className="sr-only">{t.bars(delivered, recent.length)}</span>
      {recent.map((state, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is nothing but its place
        <span key={index} aria-hidden="true" className={`h-4 w-0.75 rounded-xs ${BARS[state]}`} />
      ))}
    </span>
  )
}
