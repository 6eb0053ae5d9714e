import type { ReactNode } from 'react'

export type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  /** Centred; from the left edge (drawer); from the bottom edge on phones (sheet). */
  look?: 'centre' | 'drawer' | 'sheet'
  /** The title is read out but not shown. */
  hideTitle?: boolean
  /** Must be answered: Escape and clicks outside do nothing. */
  firm?: boolean
  className?: string
  children: ReactNode
}
