// What a dry run found, how far a run is, and what came of it.
import { clockTimeExact } from '../../feed/when.ts'
import { opsTexts } from '../../texts/ops.ts'
import { texts } from '../../texts/shell.ts'
import { Button } from '../../ui/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { Total } from './run-action.ts'

const t = opsTexts.act

type Line = [icon: IconName, colour: string, text: string]

export function DryRun({ at, total, action }: { at: number; total: Total; action: 'replay' | 'discard' }) {
  const { counts, replayedBefore, unreadable, held } = total
  const lines: Line[] = []
  const ok = (text: string) => lines.push(['check', 'text-ok', text])
  const mind = (text: string) => lines.push(['warning', 'text-warn', text])
  if (action === 'discard') ok(t.wouldDiscard(counts.discarded))
  else {
    ok(t.complete(counts.replayed + counts.guarded - unreadable))
    if (replayedBefore === 0) ok(t.fresh)
    else mind(t.before(replayedBefore))
    if (counts.guarded > 0) mind(t.guarded(counts.guarded))
  }
  if (unreadable > 0) mind(t.unreadable(unreadable))
  if (held.length > 0) mind(t.held(held.join(', ')))
  if (counts.gone > 0) mind(t.gone(counts.gone))
  return (
    <ul role="status" className="grid gap-0.75 rounded-6 border border-line bg-sunken px-2.5 py-1.75">
      <li className="flex items-center gap-2 font-medium">
        <Icon name="eye" size={14} className="text-accent-text" />
        {t.dryRunAt(clockTimeExact(at))}
      </li>
      {lines.map(([icon, colour, text]) => (
        <li key={text} className="flex items-start gap-2 text-ink-2">
          <Icon name={icon} size={14} className={`mt-0.25 ${colour}`} />
          {text}
        </li>
      ))}
    </ul>
  )
}

export function Running({ total, of, onStop }: { total: Total | null; of: number | null; onStop: () => void }) {
  const done = total?.done ?? 0
  return (
    <div className="grid gap-3">
      <p role="status">{t.progress(done, of)}</p>
      <progress
        aria-label={t.progress(done, of)}
        max={of ?? undefined}
        value={of === null ? undefined : done}
        className="h-1.5 w-full accent-accent"
      />
      <Button size="sm" icon="pause" onClick={onStop} className="justify-self-end">
        {t.stop}
      </Button>
    </div>
  )
}

export function Outcome({
  total,
  action,
  onClose,
}: {
  total: Total
  action: 'replay' | 'discard'
  onClose: () => void
}) {
  const said = (['replayed', 'discarded', 'guarded', 'gone'] as const).filter((one) => total.counts[one] > 0)
  return (
    <div className="grid gap-3">
      <ul role="status" className="grid gap-1">
        {said.length === 0 && <li>{t.nothing}</li>}
        {said.map((one) => (
          <li key={one} className="flex items-center gap-2">
            <Icon
              name={one === 'guarded' ? 'warning' : 'check'}
              size={14}
              className={one === 'guarded' ? 'text-warn' : 'text-ok'}
            />
            {t.result[one](total.counts[one])}
          </li>
        ))}
        {!total.complete && <li className="text-ink-2">{t.stopped}</li>}
      </ul>
      {action === 'replay' && total.counts.replayed > 0 && <p className="text-ink-3">{t.again}</p>}
      <Button size="sm" onClick={onClose} className="justify-self-end">
        {texts.close}
      </Button>
    </div>
  )
}
