// One of several server processes. It stops when it is told to, and when the process that started it is gone.
import cluster from 'node:cluster'
import type { FromWorker } from './cluster.ts'
import { gatherFromFirst } from './cluster-metrics.ts'
import { runServer } from './main.ts'

const tell = (message: FromWorker) => process.send?.(message)

let stopping = false
let stop: (() => Promise<void>) | null = null
async function leave(): Promise<void> {
  if (stopping) return
  stopping = true
  await stop?.()
  // Connections may be on their way to us. Those that arrive before our goodbye is answered are handed back and dealt to
  // others; had we just ended, nobody would ever answer them.
  process.once('disconnect', () => process.exit(0))
  if (process.connected) cluster.worker?.disconnect()
  else process.exit(0)
}
process.on('SIGTERM', () => void leave())
process.on('disconnect', () => void leave())
// Ctrl-C reaches the whole group: the first process decides when we go.
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)

try {
  const server = await runServer({
    mode: 'production',
    environment: process.env,
    say: () => undefined,
    gatherMetrics: gatherFromFirst,
  })
  stop = server.stop
  if (stopping) await server.stop()
  else tell({ type: 'ready', port: server.port })
} catch (error) {
  tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
  process.disconnect?.()
}
