// Popovers, menus and tooltips are Radix', loaded when somebody first reaches for one: together they weigh more than
// the feed. Until then, and after, the trigger is the same element in the page, so that focus never falls through.
// This file keeps that element and gives Radix a stand-in of the same place and size to float from.
import { type CSSProperties, type Ref, type RefCallback, useCallback, useRef } from 'react'

export type AnchorRef = { readonly current: HTMLElement | null }

export function standInStyle(anchor: HTMLElement | null): CSSProperties {
  const box = anchor?.getBoundingClientRect()
  return {
    position: 'fixed',
    pointerEvents: 'none',
    visibility: 'hidden',
    left: box?.left ?? 0,
    top: box?.top ?? 0,
    width: box?.width ?? 0,
    height: box?.height ?? 0,
  }
}

/** Keeps the element while leaving the trigger's own ref working. */
export function useAnchor(own: Ref<HTMLElement> | undefined): { anchor: AnchorRef; attach: RefCallback<HTMLElement> } {
  const anchor = useRef<HTMLElement | null>(null)
  const attach = useCallback(
    (element: HTMLElement | null) => {
      anchor.current = element
      if (typeof own === 'function') own(element)
      else if (own) own.current = element
    },
    [own],
  )
  return { anchor, attach }
}

/** Both handlers, the element's own first. */
export function both<E>(own: ((event: E) => void) | undefined, ours: (event: E) => void): (event: E) => void {
  return (event) => {
    own?.(event)
    ours(event)
  }
}
