import type { ReactNode } from 'react'
import { avatarTone, initial } from './avatar-tone.ts'
import { Icon, type IconName } from './icon.tsx'

export type BadgeTone = 'plain' | 'merged' | 'mention' | 'ok' | 'bad'
export type ToolTone = 'plain' | 'ok' | 'bad' | 'warn' | 'merged'

const BADGES: Record<BadgeTone, string> = {
  plain: 'bg-active text-ink-2',
  merged: 'bg-merged-tint text-merged',
  mention: 'bg-mention-chip text-mention',
  ok: 'bg-ok-tint text-ok',
  bad: 'bg-bad-tint text-bad',
}

const TOOLS: Record<ToolTone, string> = {
  plain: 'bg-active text-ink-2',
  ok: 'bg-ok-tint text-ok',
  bad: 'bg-bad-tint text-bad',
  warn: 'bg-warn-tint text-warn',
  merged: 'bg-merged-tint text-merged',
}

type Props = {
  /** Any CSS length; the density's row size when left out. */
  size?: string
  badge?: { icon: IconName; tone?: BadgeTone }
} & (
  | { kind?: 'person'; handle: string; name: string; pending?: boolean }
  | { kind: 'tool'; icon: IconName; tone?: ToolTone }
)

/** People are circles with an initial, tools are squares with an icon. The name always stands beside it in words. */
export function Avatar({ size = 'var(--avatar)', badge, ...who }: Props) {
  const box = { width: size, height: size, fontSize: `calc(${size} * 0.42)` }
  const mark = badge && (
    <span
      className={`absolute -right-1.5 -bottom-1.25 grid size-4.5 place-items-center rounded-full border-2 border-(--row-bg,var(--bg-surface)) ${BADGES[badge.tone ?? 'plain']}`}
    >
      <Icon name={badge.icon} size={10} />
    </span>
  )
  if (who.kind === 'tool') {
    return (
      <Shape className={`rounded-6 ${TOOLS[who.tone ?? 'plain']}`} box={box}>
        <Icon name={who.icon} />
        {mark}
      </Shape>
    )
  }
  const tone = avatarTone(who.handle)
  const style = who.pending
    ? { ...box, color: 'var(--pending)' }
    : { ...box, background: `var(--av${tone}-bg)`, color: `var(--av${tone}-fg)` }
  return (
    <Shape className={`rounded-full ${who.pending ? 'border-[1.5px] border-dashed border-pending' : ''}`} box={style}>
      {initial(who.name)}
      {mark}
    </Shape>
  )
}

function Shape({ className, box, children }: { className: string; box: React.CSSProperties; children: ReactNode }) {
  return (
    <span
      aria-hidden="true"
      style={box}
      className={`relative inline-grid flex-none place-items-center leading-none font-semibold ${className}`}
    >
      {children}
    </span>
  )
}
