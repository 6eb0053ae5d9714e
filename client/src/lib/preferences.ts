// How somebody likes to see the feed: theme, density, single-key shortcuts. Kept in this browser, the same in all its
// tabs. public/theme.js applies the saved look before the first paint and knows the same names.
import { useSyncExternalStore } from 'react'
import { isTime, type QuietHours } from './quiet-hours.ts'

export type Preferences = {
  theme: 'system' | 'light' | 'dark'
  density: 'comfortable' | 'compact'
  shortcuts: boolean
  /** Notes on the desktop; the browser must have allowed them too. */
  desktop: boolean
  quiet: QuietHours
}

export const DEFAULTS: Preferences = {
  theme: 'system',
  density: 'comfortable',
  shortcuts: true,
  desktop: false,
  quiet: { on: false, from: '22:00', to: '07:00' },
}

const SAVED = 'signal-feed.preferences'

/** Reads what is stored, which may be from another version or from nobody we know. */
export function parsePreferences(text: string | null): Preferences {
  let saved: unknown
  try {
    saved = JSON.parse(text ?? '{}')
  } catch {
    return DEFAULTS
  }
  if (typeof saved !== 'object' || saved === null) return DEFAULTS
  const { theme, density, shortcuts, desktop, quiet } = saved as Record<string, unknown>
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : DEFAULTS.theme,
    density: density === 'compact' ? density : DEFAULTS.density,
    shortcuts: typeof shortcuts === 'boolean' ? shortcuts : DEFAULTS.shortcuts,
    desktop: desktop === true,
    quiet: readQuiet(quiet),
  }
}

function readQuiet(saved: unknown): QuietHours {
  if (typeof saved !== 'object' || saved === null) return DEFAULTS.quiet
  const { on, from, to } = saved as Record<string, unknown>
  return isTime(from) && isTime(to) ? { on: on === true, from, to } : DEFAULTS.quiet
}

const listeners = new Set<() => void>()
let current = load()

function load(): Preferences {
  try {
    return parsePreferences(localStorage.getItem(SAVED))
  } catch {
    return DEFAULTS
  }
}

function apply(next: Preferences) {
  current = next
  const { dataset } = document.documentElement
  if (next.theme === 'system') delete dataset.theme
  else dataset.theme = next.theme
  if (next.density === 'comfortable') delete dataset.density
  else dataset.density = next.density
  for (const listener of listeners) listener()
}

export const preferences = (): Preferences => current

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]) {
  apply({ ...current, [name]: value })
  try {
    localStorage.setItem(SAVED, JSON.stringify(current))
  } catch {
    // Forbidden storage: the choice lasts as long as the page.
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences)

/** Choices made in another tab apply here too. */
export function followPreferences() {
  addEventListener('storage', (event) => {
    if (event.key === SAVED) apply(parsePreferences(event.newValue))
  })
}
