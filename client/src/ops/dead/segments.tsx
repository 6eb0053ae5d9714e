// Tabs as a row of segments, moved through with the arrow keys.
import type { KeyboardEvent } from 'react'
import { tabId } from '../../ui/tabs.tsx'

type Props<T extends string> = {
  label: string
  panelId: string
  value: T
  options: { value: T; text: string }[]
  disabled?: boolean
  onChange: (value: T) => void
}

export function Segments<T extends string>({ label, panelId, value, options, disabled = false, onChange }: Props<T>) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined || disabled) return
    event.preventDefault()
    const at = options.findIndex((option) => option.value === value)
    const next = options[(at + step + options.length) % options.length]!
    onChange(next.value)
    document.getElementById(tabId(panelId, next.value))?.focus()
  }
  return (
    <div
      role="tablist"
      aria-label={label}
      onKeyDown={move}
      className="flex rounded-6 border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <button
          key={option.value}
          id={tabId(panelId, option.value)}
          type="button"
          role="tab"
          aria-selected={option.value === value}
          aria-controls={panelId}
          tabIndex={option.value === value ? 0 : -1}
          disabled={disabled}
          onClick={() => onChange(option.value)}
          className="min-h-5.5 flex-1 rounded-4 font-medium text-ink-2 hover:text-ink aria-selected:bg-active aria-selected:text-ink pointer-coarse:min-h-9"
        >
          {option.text}
        </button>
      ))}
    </div>
  )
}
