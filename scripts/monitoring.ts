// `npm run monitoring`: Prometheus and Alertmanager from the system's packages, beside the product that runs here. PORT,
// EDGE_PORT, DATA_DIR, METRICS_TOKEN and REDIS_URL are read as the product reads them; ALERT_WEBHOOK says who is told.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readEnv } from '#server/config/env.ts'
import { alertmanagerConfig, prometheusConfig, USUAL } from '../monitoring/src/configs.ts'
import { startMonitoring } from './monitoring/start-monitoring.ts'
import { progress } from './progress.ts'
import { ROOT } from './repository-files.ts'
import { startFailure } from './run-product.ts'
import { ensurePrograms } from './testing/programs.ts'

const PORTS = { prometheus: 9090, alertmanager: 9093, redisExporter: 9121 }
const stopSignal = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
})

try {
  const settings = join(ROOT, '.env')
  if (existsSync(settings)) process.loadEnvFile(settings)
  const env = readEnv(process.env, 'development')
  const missing = await ensurePrograms(['monitoring'], progress)
  if (missing.length > 0) throw new Error(`Cannot start: ${missing.join(' ')}`)
  const directory = join(env.dataDir, 'monitoring')
  await mkdir(directory, { recursive: true })
  const tokenFile = join(directory, 'metrics-token')
  if (env.metricsToken !== null) await writeFile(tokenFile, env.metricsToken, { mode: 0o600 })
  const rule = (name: string) => join(ROOT, 'monitoring', 'prometheus', name)
  const redisAddress = env.redisUrl ?? `unix://${join(env.dataDir, 'redis', 'redis.sock')}`
  const monitoring = await startMonitoring({
    directory,
    ports: PORTS,
    redisAddress,
    files: {
      prometheus: prometheusConfig({
        productUrl: env.publicOrigin ?? `http://localhost:${env.port}`,
        server: [`localhost:${env.port}`],
        edge: [env.edgeUrl === null ? `localhost:${env.edgePort}` : new URL(env.edgeUrl).host],
        redis: [`localhost:${PORTS.redisExporter}`],
        alertmanager: [`localhost:${PORTS.alertmanager}`],
        alerts: true,
        rules: [rule('recording.yml'), rule('alerts.yml')],
        ...(env.metricsToken === null ? {} : { tokenFile }),
      }),
      alertmanager: alertmanagerConfig({ ...USUAL, webhook: process.env.ALERT_WEBHOOK || USUAL.webhook }),
    },
  })
  progress(`Prometheus: ${monitoring.prometheusUrl}   Alertmanager: ${monitoring.alertmanagerUrl}`)
  // Children alone do not keep us here, and they go when we do.
  const staying = setInterval(() => undefined, 60_000)
  const ended = await Promise.race([monitoring.ended, stopSignal.then(() => null)])
  clearInterval(staying)
  progress('Stopping …')
  await monitoring.stop()
  if (ended !== null) throw new Error(ended)
  process.exit(0)
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}
