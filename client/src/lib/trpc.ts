// The typed way to the server. Calls made in the same tick travel in one request, except those marked with
// `context: { alone: true }`: a poll must be answerable (and limited) by itself.
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import type { AppRouter } from '#server/routers.ts'
import { queryClient } from './query-client.ts'

export { errorBody } from './error-body.ts'

export type Outputs = inferRouterOutputs<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>

const url = '/api/trpc'

export const trpcClient = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => operation.context.alone === true,
      true: httpLink({ url }),
      false: httpBatchLink({ url, maxItems: 10, maxURLLength: 2_000 }),
    }),
  ],
})

export const trpc = createTRPCOptionsProxy<AppRouter>({ client: trpcClient, queryClient })
