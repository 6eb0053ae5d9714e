// The one door of the edge: looks at the path and hands the request to the Worker behind it. Decides nothing else; each
// Worker checks tokens itself.

export type GatewayEnv = { STREAMS: Fetcher; SUBSCRIPTIONS: Fetcher }

/** What follows `/v1/<project>/` at the subscription worker; everything else is about streams. */
const SUBSCRIPTION_PATH = /^\/v1\/(?!stream\/)[^/]+\/(subscribe|unsubscribe|publish|session)(\/|$)/

export default {
  async fetch(request, env): Promise<Response> {
    const { pathname } = new URL(request.url)
    const isSubscription = SUBSCRIPTION_PATH.test(pathname) || pathname === '/metrics'
    return (isSubscription ? env.SUBSCRIPTIONS : env.STREAMS).fetch(request)
  },
} satisfies ExportedHandler<GatewayEnv>
