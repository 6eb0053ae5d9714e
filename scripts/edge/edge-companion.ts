// The edge beside `npm run dev` and `npm start`: it starts while the product does, stops with it, and the product does without it when
// it cannot run, which is said in one line.
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Mode, readEnv } from '#server/config/env.ts'
import { keptSecret } from '#server/config/kept-secret.ts'
import { type Edge, edgeObstacle, startEdge } from './edge-process.ts'
import { edgeVars } from './edge-vars.ts'

export type Companion = {
  /** What the product is told about it. */
  environment: Record<string, string>
  stop: () => Promise<void>
}

type Say = (line: string) => void

const NOTHING: Companion = { environment: {}, stop: async () => {} }

export const edgeCompanion = (mode: Mode) => (environment: NodeJS.ProcessEnv, say: Say) =>
  startEdgeCompanion(environment, mode, say)

async function startEdgeCompanion(environment: NodeJS.ProcessEnv, mode: Mode, say: Say): Promise<Companion> {
  const env = readEnv(environment, mode)
  // Somebody named an edge that runs elsewhere, or wants none.
  if (!env.edgeBeside) return NOTHING
  const obstacle = edgeObstacle() ?? (await portObstacle(env.edgePort))
  if (obstacle !== null) {
    say(withoutEdge(obstacle))
    return NOTHING
  }
  const starting = startEdge({
    port: env.edgePort,
    directory: join(env.dataDir, 'edge'),
    vars: edgeVars(env.authSecret ?? keptSecret(env.dataDir), env),
  }).then(
    (edge) => {
      say(`The edge is ready: http://localhost:${env.edgePort}`)
      void edge.exited.then(() => stopping || say(withoutEdge('it ended')))
      return edge
    },
    (error: unknown) => {
      if (!stopping) say(withoutEdge(error instanceof Error ? error.message : String(error)))
      return null
    },
  )
  let stopping = false
  return {
    environment: {
      EDGE_URL: `http://localhost:${env.edgePort}`,
      // Browsers of other machines do not reach it there; whoever makes it reachable says where.
      ...(mode === 'production' && !environment.EDGE_PUBLIC_URL ? { EDGE_PUBLIC_URL: 'none' } : {}),
    },
    stop: async () => {
      stopping = true
      const edge: Edge | null = await starting
      await edge?.stop()
    },
  }
}

/** The whole of what wrangler said would bury the line that matters. */
const withoutEdge = (reason: string): string =>
  `The edge is not running (${reason.split('\n').slice(0, 2).join(' ').trim()}); everything else works without it.`

/** A port that is taken would otherwise look like an edge that is ready, but somebody else's. */
export function portObstacle(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(`port ${port} is taken; set EDGE_PORT`))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(null)))
  })
}
