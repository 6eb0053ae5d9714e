// What to do with the chosen letters: look first (a dry run changes nothing), say why, then watch it happen.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { REASON_MAX_CHARS, REASON_MIN_CHARS } from '#shared/ops-words.ts'
import { trpc, trpcClient } from '../../lib/trpc.ts'
import { opsTexts } from '../../texts/ops.ts'
import { texts } from '../../texts/shell.ts'
import { sentence } from '../../topics/use-topics.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Input } from '../../ui/input.tsx'
import { tabId } from '../../ui/tabs.tsx'
import { Panel } from '../panel.tsx'
import { DryRun, Outcome, Running } from './act-report.tsx'
import { LetterView } from './letter-view.tsx'
import { runAction, type Total } from './run-action.ts'
import { Segments } from './segments.tsx'
import type { DeadFilter, Letter } from './use-dead.ts'

const t = opsTexts.act

type Tab = 'replay' | 'discard' | 'payload'
type Phase =
  | { is: 'asking'; looked: { at: number; total: Total } | null; error: string | null }
  | { is: 'looking' }
  | { is: 'running'; total: Total | null; of: number | null }
  | { is: 'done'; total: Total }

type Props = {
  /** Null: all that fit the filter. */
  letters: readonly Letter[] | null
  filter: DeadFilter
  tab: Tab
  onTab: (tab: Tab) => void
  onClose: () => void
}

export function ActPanel({ letters, filter, tab, onTab, onClose }: Props) {
  const [phase, setPhase] = useState<Phase>({ is: 'asking', looked: null, error: null })
  const [reason, setReason] = useState('')
  const panelId = useId()
  const running = useRef<AbortController>(null)
  const queries = useQueryClient()
  useEffect(() => () => running.current?.abort(), [])

  const action = tab === 'discard' ? 'discard' : 'replay'
  const target = letters ? { ids: letters.map(({ id }) => id) } : { filter }
  const busy = phase.is === 'looking' || phase.is === 'running'

  async function go(dryRun: boolean) {
    const stop = new AbortController()
    running.current = stop
    const known = phase.is === 'asking' && phase.looked ? phase.looked.total.done : (letters?.length ?? null)
    setPhase(dryRun ? { is: 'looking' } : { is: 'running', total: null, of: known })
    try {
      const total = await runAction(
        target,
        { action, reason, dryRun },
        {
          call: (input) => trpcClient.ops.dlq.act.mutate(input),
          signal: stop.signal,
          onProgress: (now) => {
            if (!dryRun) setPhase({ is: 'running', total: now, of: known })
          },
        },
      )
      setPhase(dryRun ? { is: 'asking', looked: { at: Date.now(), total }, error: null } : { is: 'done', total })
    } catch (error) {
      setPhase({ is: 'asking', looked: null, error: sentence(error) })
    } finally {
      if (!dryRun) void queries.invalidateQueries({ queryKey: trpc.ops.dlq.pathKey() })
    }
  }

  const choose = (next: Tab) => {
    onTab(next)
    setPhase({ is: 'asking', looked: null, error: null })
  }
  const tabs: Tab[] = letters?.length === 1 ? ['replay', 'discard', 'payload'] : ['replay', 'discard']
  const shown = tabs.includes(tab) ? tab : 'replay'
  return (
    <Panel
      title={t.title(letters?.length ?? null)}
      span={4}
      end={<IconButton icon="x" size={14} label={texts.close} onClick={onClose} className="size-6!" />}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-2 px-3 pb-3">
        <Segments
          label={t.title(letters?.length ?? null)}
          panelId={panelId}
          value={shown}
          disabled={busy}
          options={tabs.map((value) => ({ value, text: t[value] }))}
          onChange={choose}
        />
        <div
          role="tabpanel"
          id={panelId}
          aria-labelledby={tabId(panelId, shown)}
          className="flex flex-1 flex-col gap-2"
        >
          {shown === 'payload' && letters?.[0] ? (
            <LetterView id={letters[0].id} />
          ) : phase.is === 'done' ? (
            <Outcome total={phase.total} action={action} onClose={onClose} />
          ) : phase.is === 'running' ? (
            <Running total={phase.total} of={phase.of} onStop={() => running.current?.abort()} />
          ) : (
            <form
              className="flex flex-1 flex-col gap-2"
              onSubmit={(event) => {
                event.preventDefault()
                void go(false)
              }}
            >
              <p className="text-ink-2">{action === 'replay' ? t.replayHint(handlersOf(letters)) : t.discardHint}</p>
              {phase.is === 'asking' && phase.looked && (
                <DryRun at={phase.looked.at} total={phase.looked.total} action={action} />
              )}
              {phase.is === 'asking' && phase.error && (
                <p role="alert" className="rounded-6 bg-bad-tint px-2.5 py-2">
                  <b className="font-semibold">{t.failed}</b> {phase.error}
                </p>
              )}
              <div className="mt-auto">
                <Field label={t.reason(action)}>
                  <Input
                    value={reason}
                    required
                    minLength={REASON_MIN_CHARS}
                    maxLength={REASON_MAX_CHARS}
                    autoComplete="off"
                    onChange={(event) => setReason(event.target.value)}
                  />
                </Field>
              </div>
              <div className="flex flex-wrap items-center gap-2 pt-1">
                <Button size="sm" icon="eye" busy={phase.is === 'looking'} onClick={() => void go(true)}>
                  {t.dryRun}
                </Button>
                <span className="flex-1" />
                <Button size="sm" look="ghost" onClick={onClose}>
                  {texts.cancel}
                </Button>
                <Button
                  size="sm"
                  type="submit"
                  look={action === 'replay' ? 'primary' : 'danger'}
                  icon={action === 'replay' ? 'play' : 'trash'}
                  disabled={reason.trim().length < REASON_MIN_CHARS}
                >
                  {t.go(action, letters?.length ?? null)}
                </Button>
              </div>
            </form>
          )}
        </div>
      </div>
    </Panel>
  )
}

const handlersOf = (letters: readonly Letter[] | null): string =>
  letters ? [...new Set(letters.map(({ handler }) => handler))].join(', ') : t.theHandlers
