import { cloneElement, type ReactElement, type ReactNode, useId } from 'react'

type ControlProps = { id?: string; 'aria-describedby'?: string | undefined; 'aria-invalid'?: boolean | undefined }

type Props = {
  label: string
  hint?: ReactNode
  /** What is wrong with the value; takes the hint's place. */
  error?: string | undefined
  children: ReactElement<ControlProps>
}

/** A label, its control, and below it either a hint or what is wrong, tied together for screen readers. */
export function Field({ label, hint, error, children }: Props) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      {cloneElement(children, {
        id,
        'aria-describedby': note ? `${id}-note` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {note && (
        <p id={`${id}-note`} className={`text-12 ${error ? 'text-bad' : 'text-ink-3'}`}>
          {note}
        </p>
      )}
    </div>
  )
}
