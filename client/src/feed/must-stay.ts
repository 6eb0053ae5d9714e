// Whether somebody is in the middle of something that a moving list would disturb.
import { AT_TOP_PX } from './use-virtual-rows.ts'

const isWriting = (element: Element | null): boolean =>
  (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) && element.value !== ''

function isSelecting(list: Element): boolean {
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode)
}

export function mustStay(list: HTMLElement | null): boolean {
  if (!list) return false
  const { activeElement } = document
  return (
    list.scrollTop > AT_TOP_PX ||
    isWriting(activeElement) ||
    isSelecting(list) ||
    document.querySelector('[role="menu"], [role="dialog"], [data-thread], [data-group][aria-expanded="true"]') !==
      null ||
    // A row that was reached by keyboard, or a bar of actions under the pointer.
    list.querySelector('article:focus-visible, article :focus-visible, [role="toolbar"]:hover') !== null
  )
}
