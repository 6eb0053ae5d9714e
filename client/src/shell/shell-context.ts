// What any part of the frame may open.
import { createContext, useContext } from 'react'

export type Shell = {
  openDrawer: () => void
  openCreate: () => void
  openGoTo: () => void
  openShortcuts: () => void
}

export const ShellContext = createContext<Shell | null>(null)

export function useShell(): Shell {
  const shell = useContext(ShellContext)
  if (shell === null) throw new Error('useShell is for parts of the frame')
  return shell
}
