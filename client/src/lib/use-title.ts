// The page's name in the tab and the history, with how much is waiting for the reader; the icon shows the same as a dot.
import { useEffect } from 'react'

let page = ''
let waiting = 0

function show() {
  const name = page === '' ? 'Signal Feed' : `${page} · Signal Feed`
  document.title = waiting === 0 ? name : `(${waiting}) ${name}`
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const wanted = waiting === 0 ? '/favicon.svg' : '/favicon-waiting.svg'
  if (icon && icon.getAttribute('href') !== wanted) icon.href = wanted
}

export function useTitle(title: string) {
  useEffect(() => {
    page = title
    show()
  }, [title])
}

export function useWaiting(count: number) {
  useEffect(() => {
    waiting = count
    show()
    return () => {
      waiting = 0
      show()
    }
  }, [count])
}
