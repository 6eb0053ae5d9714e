// The list that a field owns (the combobox pattern): focus and keys stay in the field, which names the chosen option by
// its id. Options are buttons outside the order of focus, so that pointers and assistive clicks work as anywhere else.
import { type ReactNode, useEffect } from 'react'

type Props<T> = {
  id: string
  label: string
  options: readonly T[]
  /** Index of the chosen one. */
  at: number
  keyOf: (option: T) => string
  isOff?: (option: T) => boolean
  onPoint: (index: number) => void
  onPick: (option: T) => void
  className?: string
  children: (option: T) => ReactNode
}

export const optionId = (listId: string, index: number) => `${listId}-${index}`

export function OptionList<T>(props: Props<T>) {
  const { id, label, options, at, keyOf, isOff, onPoint, onPick, className = '', children } = props
  useEffect(() => {
    document.getElementById(optionId(id, at))?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  return (
    <div id={id} role="listbox" aria-label={label} className={`overflow-y-auto ${className}`}>
      {options.map((option, index) => (
        <button
          key={keyOf(option)}
          id={optionId(id, index)}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          aria-disabled={isOff?.(option) ?? false}
          // A press would take focus from the field.
          onMouseDown={(event) => event.preventDefault()}
          onPointerMove={() => onPoint(index)}
          onClick={() => onPick(option)}
          className="flex min-h-9 w-full items-center gap-2.5 rounded-6 px-2 text-left aria-disabled:cursor-default aria-disabled:text-ink-3 aria-selected:bg-active pointer-coarse:min-h-11"
        >
          {children(option)}
        </button>
      ))}
    </div>
  )
}
