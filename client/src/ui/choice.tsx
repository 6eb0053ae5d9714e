// Native radio buttons and switches in our dress: the browser already knows their keys and how to read them out.
import { type ReactNode, useId } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Option<T extends string> = { value: T; text: string; hint?: string; icon?: IconName; disabled?: boolean }

type Props<T extends string> = {
  label: string
  value: T
  options: Option<T>[]
  onChange: (value: T) => void
  /** Side by side as segments, or one below the other with a line of explanation. */
  look?: 'segments' | 'list'
}

export function Choice<T extends string>({ label, value, options, onChange, look = 'list' }: Props<T>) {
  const name = useId()
  const row = look === 'segments'
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-13 font-medium">{label}</legend>
      <div
        className={
          row ? 'flex w-fit max-w-full flex-wrap gap-0.5 rounded-8 border border-line bg-sunken p-0.5' : 'grid gap-1.5'
        }
      >
        {options.map((option) => (
          <label
            key={option.value}
            className={`relative flex cursor-pointer has-focus-visible:shadow-ring has-disabled:cursor-not-allowed has-disabled:text-ink-off ${
              row
                ? 'h-(--control-h-sm) items-center gap-1.5 rounded-6 px-2.5 text-12 font-medium text-ink-2 hover:text-ink has-checked:bg-accent-tint has-checked:text-accent-text'
                : 'items-start gap-2.5 rounded-8 border border-line p-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-selected'
            }`}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.disabled ?? false}
              onChange={() => onChange(option.value)}
              className={row ? 'sr-only' : 'mt-0.5 size-4 flex-none accent-accent focus-visible:shadow-none'}
            />
            {option.icon && <Icon name={option.icon} size={row ? 14 : 16} className={row ? '' : 'mt-0.5 text-ink-3'} />}
            <span className="min-w-0">
              {option.text}
              {option.hint && <span className="block text-12 text-ink-3">{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export function Switch(props: {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label className="flex min-h-(--target-min) cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        role="switch"
        checked={props.checked}
        aria-checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden="true"
        className="relative mt-px h-4.5 w-8 flex-none rounded-full bg-line-strong transition-colors duration-(--t-fast) peer-checked:bg-accent peer-focus-visible:shadow-ring after:absolute after:top-0.5 after:left-0.5 after:size-3.5 after:rounded-full after:bg-on-accent after:transition-transform after:duration-(--t-fast) peer-checked:after:translate-x-3.5"
      />
      <span className="min-w-0">
        <span className="font-medium">{props.label}</span>
        {props.hint && <span className="block text-12 text-ink-3">{props.hint}</span>}
      </span>
    </label>
  )
}
