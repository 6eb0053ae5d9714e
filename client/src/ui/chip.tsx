import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type ChipTone = 'plain' | 'ok' | 'bad' | 'warn' | 'merged' | 'accent' | 'mention'

const TONES: Record<ChipTone, string> = {
  plain: 'bg-active text-ink-2',
  ok: 'bg-ok-tint text-ok',
  bad: 'bg-bad-tint text-bad',
  warn: 'bg-warn-tint text-warn',
  merged: 'bg-merged-tint text-merged',
  accent: 'bg-accent-tint text-accent-text',
  mention: 'bg-mention-chip text-mention',
}

type Props = { tone?: ChipTone; icon?: IconName; children: ReactNode; className?: string }

export function Chip({ tone = 'plain', icon, children, className = '' }: Props) {
  return (
    <span
      className={`inline-flex h-5 flex-none items-center gap-1 rounded-4 px-1.5 text-12 leading-none font-medium whitespace-nowrap ${TONES[tone]} ${className}`}
    >
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  )
}
