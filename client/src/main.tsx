import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { AddressProvider } from './lib/address.tsx'
import { shareNonce } from './lib/nonce.ts'
import { followPreferences } from './lib/preferences.ts'
import { queryClient } from './lib/query-client.ts'
import { Crash } from './shell/crash.tsx'
import './styles/app.css'
import { ToastProvider } from './ui/toast.tsx'

shareNonce()
followPreferences()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Crash>
      <QueryClientProvider client={queryClient}>
        <AddressProvider>
          <ToastProvider>
            <App />
          </ToastProvider>
        </AddressProvider>
      </QueryClientProvider>
    </Crash>
  </StrictMode>,
)
