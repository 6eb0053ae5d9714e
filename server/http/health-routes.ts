// /healthz: the process runs. /readyz: it can serve, and if not, which part is missing.
import { Router } from 'express'

/** By name of the dependency: true, or what is wrong with it in a few words (shown to whoever asks). */
export type Readiness = Record<string, true | string>

export function healthRoutes(readiness: () => Promise<Readiness>): Router {
  const route = Router()
  route.get('/healthz', (_req, res) => {
    res.setHeader('Cache-Control', 'no-store').json({ status: 'ok' })
  })
  route.get('/readyz', async (_req, res) => {
    const parts = await readiness()
    const ready = Object.values(parts).every((part) => part === true)
    res.status(ready ? 200 : 503).setHeader('Cache-Control', 'no-store')
    const shown = Object.entries(parts).map(([name, part]) => [name, part === true ? 'ok' : part])
    res.json({ status: ready ? 'ready' : 'not ready', parts: Object.fromEntries(shown) })
  })
  return route
}
