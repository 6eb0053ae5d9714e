// The edge for tests: on a free port with its own data, both gone afterwards.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Edge, startEdge } from '../edge/edge-process.ts'
import { edgeVars } from '../edge/edge-vars.ts'
import { freePort } from './postgres-server.ts'

/** As for developers: one project is open, webhooks may come to this machine. */
export const OPEN_VARS = { EDGE_OPEN_PROJECT: 'default', EDGE_CORS_ORIGINS: '*', EDGE_LOCAL_WEBHOOKS: 'on' }

export async function startTestEdge(vars: Record<string, string> = {}): Promise<Edge> {
  const directory = await mkdtemp(join(tmpdir(), 'sf-edge-'))
  const edge = await startEdge({ port: await freePort(), directory, vars: { ...OPEN_VARS, ...vars } })
  return {
    ...edge,
    stop: async () => {
      await edge.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** As the product with this secret needs it. */
export const startProductsEdge = (secret: string, vars: Record<string, string> = {}): Promise<Edge> =>
  startTestEdge({ ...edgeVars(secret), ...vars })
