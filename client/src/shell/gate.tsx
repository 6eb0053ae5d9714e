// In front of every signed-in screen: lets a known person through at once, sends everybody else to sign in.
import type { ReactNode } from 'react'
import { Redirect } from 'wouter'
import { useAddress } from '../lib/address.tsx'
import { places } from '../lib/places.ts'
import { MeContext, useAccount } from '../lib/use-me.ts'
import { LiveProvider } from '../live/live-provider.tsx'
import { texts } from '../texts/shell.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export function Gate({ children }: { children: ReactNode }) {
  const account = useAccount()
  const { pathname, search } = useAddress()

  switch (account.state) {
    case 'loading':
      return (
        <p role="status" className="sr-only">
          {texts.loading}
        </p>
      )
    case 'signed-out':
      return <Redirect to={places.signIn(pathname + search)} replace />
    case 'unreachable':
      return (
        <main className="grid min-h-full place-items-center">
          <EmptyState
            icon="waves-off"
            title={texts.gate.title}
            level={1}
            action={
              <Button look="primary" icon="refresh" onClick={account.retry}>
                {texts.tryAgain}
              </Button>
            }
          >
            {texts.gate.text}
          </EmptyState>
        </main>
      )
    case 'signed-in':
      return (
        <MeContext value={account.me}>
          <LiveProvider>{children}</LiveProvider>
        </MeContext>
      )
  }
}
