// One cache for everything the screens show. Live events keep it fresh, so that nothing is asked again just because a
// window was focused; an answer of SIGNED_OUT to any question tells the session that it has ended.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ERRORS } from '#shared/errors.ts'
import { errorBody } from './error-body.ts'
import { noteSignedOut } from './session.ts'

const STALE_AFTER_MS = 60_000
const RETRIES = 2

export function mayRetry(error: unknown): boolean {
  const body = errorBody(error)
  return body === null || ERRORS[body.code]?.retry === 'later'
}

function watch(error: unknown) {
  if (errorBody(error)?.code === 'SIGNED_OUT') noteSignedOut()
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({ onError: watch }),
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < RETRIES && mayRetry(error),
    },
    mutations: { retry: false },
  },
})
