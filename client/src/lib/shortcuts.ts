// Single-key shortcuts. They are silent while somebody writes, while a dialog or menu is open, with modifier keys, and
// when turned off in the settings (WCAG 2.1.4).
import { useEffect, useEffectEvent } from 'react'
import { preferences } from './preferences.ts'

type KeyPress = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; isComposing: boolean }

/** The name a key press is listed by: the character itself, so `?` and `A` already imply Shift; null when not ours. */
export function shortcutName(press: KeyPress): string | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return null
  return press.key
}

function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"]')) return true
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role="textbox"]') !== null)
  )
}

/** `{ j: next, '?': help, A: markAll }`; a handler that returns false leaves the key to the browser. */
export function useShortcuts(handlers: Record<string, (event: KeyboardEvent) => unknown>) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !preferences().shortcuts) return
    const name = shortcutName(event)
    const handler = name === null || !Object.hasOwn(handlers, name) ? undefined : handlers[name]
    if (!handler || isTaken(event.target)) return
    if (handler(event) !== false) event.preventDefault()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
