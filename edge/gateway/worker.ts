// The one door of the edge: looks at the path and hands the request to the Worker behind it. Decides nothing else; each
// Worker checks tokens itself.

export type GatewayEnv = { STREAMS: Fetcher }

export default {
  async fetch(request, env): Promise<Response> {
    return env.STREAMS.fetch(request)
  },
} satisfies ExportedHandler<GatewayEnv>
