// Dead letters and, beside them, what can be done with those chosen; with none chosen, what was done lately and by whom.
import { useState } from 'react'
import { errorBody } from '../../lib/trpc.ts'
import { opsTexts } from '../../texts/ops.ts'
import { sentence } from '../../topics/use-topics.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { SkeletonLines } from '../../ui/skeleton.tsx'
import { whole } from '../numbers.ts'
import { Figure, Nothing, Panel } from '../panel.tsx'
import { RUNBOOKS } from '../runbook-names.ts'
import { ActPanel } from './act-panel.tsx'
import { DeadFilters } from './dead-filters.tsx'
import { DeadTable } from './dead-table.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { isFiltered, type Letter, useDead } from './use-dead.ts'

const t = opsTexts.dead

export function DeadLetters({ pageSize }: { pageSize: number }) {
  const dead = useDead(pageSize)
  const [all, setAll] = useState(false)
  const [tab, setTab] = useState<'replay' | 'discard' | 'payload'>('replay')
  const { letters, selected, depth, filter } = dead
  const chosen = new Set(selected.map(({ id }) => id))
  const close = () => {
    dead.clear()
    setAll(false)
  }
  return (
    <>
      <Panel
        title={t.title}
        span={8}
        className="min-h-80"
        hint={
          <span className="flex items-center gap-2">
            <Chip className="h-6! px-0!">
              <Figure runbook={RUNBOOKS.dead} of={t.title} className="grid h-6 min-w-6 place-items-center px-1.5">
                {dead.loading || dead.error ? '–' : whole(depth)}
              </Figure>
            </Chip>
            {selected.length > 0 && t.selected(selected.length)}
          </span>
        }
        end={
          <div className="flex flex-wrap items-center">
            <DeadFilters
              filter={filter}
              onChange={(next) => {
                dead.setFilter(next)
                setAll(false)
              }}
            />
            <Button look="ghost" size="sm" disabled={letters.length === 0} onClick={() => save(letters)}>
              {t.export}
            </Button>
          </div>
        }
      >
        {dead.loading && (
          <div className="p-4">
            <SkeletonLines count={4} />
          </div>
        )}
        {dead.error && (
          <Nothing>{errorBody(dead.error)?.code === 'UNAVAILABLE' ? t.away : sentence(dead.error)}</Nothing>
        )}
        {!dead.loading && !dead.error && letters.length === 0 && (
          <Nothing>{isFiltered(filter) ? t.noneFits : t.none}</Nothing>
        )}
        {letters.length > 0 && (
          <DeadTable
            letters={letters}
            selected={chosen}
            onToggle={(letter) => {
              setAll(false)
              if (tab === 'payload') setTab('replay')
              dead.toggle(letter)
            }}
            onToggleAll={() => (letters.every(({ id }) => chosen.has(id)) ? dead.clear() : dead.selectAll())}
            onShow={(letter) => {
              setAll(false)
              setTab('payload')
              dead.selectOnly(letter)
            }}
          />
        )}
        {letters.length > 0 && (
          <div className="mt-auto flex min-h-8.5 items-center gap-1 pr-1 pl-3 text-ink-3 tabular-nums">
            {t.shown(letters.length, depth)}
            <span className="flex-1" />
            <Button
              look="ghost"
              size="sm"
              onClick={() => {
                dead.clear()
                setTab('replay')
                setAll(true)
              }}
            >
              {isFiltered(filter) ? t.actOnFit : t.actOnAll}
            </Button>
            {dead.more && (
              <Button look="ghost" size="sm" onClick={dead.loadMore}>
                {t.older}
              </Button>
            )}
          </div>
        )}
      </Panel>
      {all || selected.length > 0 ? (
        <ActPanel
          // Another choice is another wish: nothing of the last one is left.
          key={all ? `all ${JSON.stringify(filter)}` : [...chosen].join(' ')}
          letters={all ? null : selected}
          filter={filter}
          tab={tab}
          onTab={setTab}
          onClose={close}
        />
      ) : (
        <HistoryPanel />
      )}
    </>
  )
}

function save(letters: Letter[]) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(letters, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = t.exportName
  link.click()
  URL.revokeObjectURL(url)
}
