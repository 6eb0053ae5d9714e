import { useEffect } from 'react'

/** The page's name in the tab and the history. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Signal Feed`
  }, [title])
}
