// Tabs over one panel, with the arrow keys moving between them. Small and our own because they stand in the first
// load; the panel is the caller's: `<div role="tabpanel" id={panelId} aria-labelledby={tabId(panelId, value)}>`.
import type { KeyboardEvent, ReactNode } from 'react'

export type Tab<T extends string> = { value: T; text: string; count?: number | undefined }

type Props<T extends string> = {
  label: string
  tabs: Tab<T>[]
  value: T
  onChange: (value: T) => void
  panelId: string
  /** What stands at the end of the line. */
  children?: ReactNode
}

export const tabId = (panelId: string, value: string) => `${panelId}-tab-${value}`

export function Tabs<T extends string>({ label, tabs, value, onChange, panelId, children }: Props<T>) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex((tab) => tab.value === value)
    const round = Math.abs(step) === 1 ? (at + step + tabs.length) % tabs.length : step < 0 ? 0 : tabs.length - 1
    const next = tabs[round]
    if (!next) return
    onChange(next.value)
    document.getElementById(tabId(panelId, next.value))?.focus()
  }
  return (
    <div className="flex items-center gap-2">
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="flex min-w-0 gap-1 max-md:-m-1 max-md:overflow-x-auto max-md:p-1 max-md:[scrollbar-width:none] md:gap-5"
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            id={tabId(panelId, tab.value)}
            type="button"
            role="tab"
            aria-selected={tab.value === value}
            aria-controls={panelId}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className="group flex h-9 items-center gap-1.5 rounded-full px-3 font-medium whitespace-nowrap text-ink-2 hover:text-ink aria-selected:bg-ink aria-selected:text-surface max-md:border max-md:border-line md:-mb-px md:rounded-none md:border-b-2 md:border-transparent md:px-0 md:aria-selected:border-accent md:aria-selected:bg-transparent md:aria-selected:text-ink"
          >
            {tab.text}
            {tab.count !== undefined && tab.count > 0 && (
              <span className="text-12 text-ink-3 tabular-nums max-md:group-aria-selected:text-inherit">
                {tab.count.toLocaleString('en')}
              </span>
            )}
          </button>
        ))}
      </div>
      {children && <div className="ml-auto flex flex-none items-center gap-1">{children}</div>}
    </div>
  )
}
