// `npm run edge`: only the edge, until it is asked to stop. EDGE_PORT and DATA_DIR say where.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readEnv } from '#server/config/env.ts'
import { keptSecret } from '#server/config/kept-secret.ts'
import { portObstacle } from './edge/edge-companion.ts'
import { edgeObstacle, startEdge } from './edge/edge-process.ts'
import { edgeVars } from './edge/edge-vars.ts'
import { progress } from './progress.ts'
import { ROOT } from './repository-files.ts'
import { startFailure, stopSignal } from './run-product.ts'

const STAY_MS = 2 ** 30

const signalled = stopSignal()

try {
  const settings = join(ROOT, '.env')
  if (existsSync(settings)) process.loadEnvFile(settings)
  const env = readEnv(process.env, 'development')
  const { edgePort: port, dataDir, authSecret } = env
  const obstacle = edgeObstacle() ?? (await portObstacle(port))
  if (obstacle !== null) throw new Error(`Cannot start: ${obstacle}.`)
  progress('Starting the edge …')
  const vars = edgeVars(authSecret ?? keptSecret(dataDir), env)
  const edge = await Promise.race([
    startEdge({ port, directory: join(dataDir, 'edge'), vars }),
    signalled.then(() => null),
  ])
  if (edge !== null) {
    progress(`The edge is ready: http://localhost:${port}`)
    // A child of ours does not keep us; without this we would end by ourselves, and the edge with us.
    setInterval(() => {}, STAY_MS)
    const ended = await Promise.race([edge.exited, signalled.then(() => null)])
    if (ended !== null) throw new Error(`The edge ended:\n${ended.output}`)
    progress('Stopping …')
    await edge.stop()
  }
  process.exit(0)
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}
