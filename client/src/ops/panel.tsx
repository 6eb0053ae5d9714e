// The pieces that every part of the console is made of: panels on a grid of twelve columns, dense tables, meters, and numbers
// that lead to their runbook.
import { type ReactNode, useId } from 'react'
import { Link } from 'wouter'
import { opsTexts } from '../texts/ops.ts'
import { opsPlaces } from './ops-places.ts'
import type { RunbookName } from './runbook-names.ts'

type PanelProps = {
  title: string
  /** Columns of the grid on a wide screen; all of it on a narrow one. */
  span?: 3 | 4 | 5 | 6 | 7 | 8 | 9 | 12
  hint?: ReactNode
  end?: ReactNode
  className?: string
  children: ReactNode
}

const SPANS = {
  3: 'lg:col-span-3',
  4: 'lg:col-span-4',
  5: 'lg:col-span-5',
  6: 'lg:col-span-6',
  7: 'lg:col-span-7',
  8: 'lg:col-span-8',
  9: 'lg:col-span-9',
  12: 'lg:col-span-12',
}

export function Grid({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-12 gap-2.5 p-3 text-12">{children}</div>
}

export const PANEL = 'min-w-0 rounded-8 border border-line bg-surface'

export function Panel({ title, span = 12, hint, end, className = '', children }: PanelProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={`col-span-12 flex flex-col overflow-hidden ${PANEL} ${SPANS[span]} ${className}`}
    >
      <div className="flex min-h-8.5 flex-none flex-wrap items-center gap-x-2 px-3">
        <h2 id={id} className="font-semibold whitespace-nowrap">
          {title}
        </h2>
        {hint && <span className="min-w-0 truncate text-ink-3 tabular-nums">{hint}</span>}
        {end && <div className="ml-auto flex flex-none items-center gap-1 tabular-nums">{end}</div>}
      </div>
      {children}
    </section>
  )
}

export const TABLE = 'w-full border-collapse tabular-nums'
export const TH =
  'h-6 border-b border-line px-2 text-left text-11 font-medium whitespace-nowrap text-ink-3 first:pl-3 last:pr-3'
export const TD =
  'h-7.5 border-b border-line-faint px-2 whitespace-nowrap text-ink-2 first:pl-3 last:pr-3 group-last:border-0'

type FigureProps = { runbook: RunbookName; of: string; className?: string; children: ReactNode }

/** A number that leads to what to do about it. */
export function Figure({ runbook, of, className = '', children }: FigureProps) {
  return (
    <Link
      to={opsPlaces.runbook(runbook)}
      title={opsTexts.runbook(runbook)}
      className={`text-inherit no-underline decoration-1 underline-offset-3 hover:underline focus-visible:rounded-4 ${className}`}
    >
      <span className="sr-only">{of}: </span>
      {children}
    </Link>
  )
}

export function RunbookLink({ name }: { name: RunbookName }) {
  return (
    <Link to={opsPlaces.runbook(name)} className="text-accent-text no-underline hover:underline">
      {opsTexts.runbookLink}
    </Link>
  )
}

type MeterProps = { value: number; max: number; tone?: 'ok' | 'warn' | 'plain' }
const METERS = { ok: 'bg-live', warn: 'bg-warn', plain: 'bg-ink-3' }

/** How much of the whole, at a glance: the number itself stands beside it. */
export function Meter({ value, max, tone = 'plain' }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 0
  return (
    <span aria-hidden="true" className="block h-1.5 overflow-hidden rounded-full bg-active">
      <span
        className={`block h-full origin-left rounded-full transition-transform duration-(--t-slow) ${METERS[tone]}`}
        style={{ transform: `scaleX(${share})` }}
      />
    </span>
  )
}

export function Nothing({ children }: { children: ReactNode }) {
  return <p className="px-3 py-4 text-ink-3">{children}</p>
}
