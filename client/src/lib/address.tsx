// Where one is, and whether one got there by the browser's back and forward. A change is a transition of React: the page
// stays on screen until the next one, which may still have to be loaded, is there. The router asks here for the address.
import {
  createContext,
  type ReactNode,
  startTransition,
  use,
  useCallback,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { Router } from 'wouter'

type Address = {
  /** As the browser has it, still encoded: what belongs into a link back to here. */
  pathname: string
  search: string
  isBack: boolean
}

type Go = (to: string | URL, options?: { replace?: boolean }) => void

const addressNow = (isBack: boolean): Address => ({ pathname: location.pathname, search: location.search, isBack })

const Here = createContext<{ address: Address; go: Go } | null>(null)

function useHere() {
  const here = use(Here)
  if (!here) throw new Error('No AddressProvider around this.')
  return here
}

export const useAddress = (): Address => useHere().address

const usePath = (): [string, Go] => {
  const { address, go } = useHere()
  return [address.pathname, go]
}
const useSearch = () => useAddress().search

export function AddressProvider({ children }: { children: ReactNode }) {
  const [address, setAddress] = useState(() => addressNow(false))
  useLayoutEffect(() => {
    const follow = () => startTransition(() => setAddress(addressNow(true)))
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  const go = useCallback<Go>((to, { replace = false } = {}) => {
    // A link to where one is leaves nothing to go back to.
    const isHere = new URL(to, location.href).href === location.href
    history[replace || isHere ? 'replaceState' : 'pushState'](null, '', to)
    startTransition(() => setAddress(addressNow(false)))
  }, [])
  const here = useMemo(() => ({ address, go }), [address, go])
  return (
    <Here value={here}>
      <Router hook={usePath} searchHook={useSearch}>
        {children}
      </Router>
    </Here>
  )
}
