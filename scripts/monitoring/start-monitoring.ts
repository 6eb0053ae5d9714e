// Prometheus, Alertmanager and the exporter for Redis as child processes beside a running product. They go away when
// they are stopped or when we die; what they keep is under the data directory.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type GuardedChild, startGuarded } from '#server/embedded/guarded-child.ts'
import { findMonitoring } from '../testing/programs.ts'

export type MonitoringFiles = {
  /** With absolute paths of its rule files. */
  prometheus: string
  alertmanager: string
}

export type MonitoringOptions = {
  directory: string
  files: MonitoringFiles
  ports: { prometheus: number; alertmanager: number; redisExporter: number }
  /** Null: no exporter. `unix:///path` or `redis://…`. */
  redisAddress: string | null
}

export type Monitoring = {
  prometheusUrl: string
  alertmanagerUrl: string
  /** The first that ended by itself, with what it said. */
  ended: Promise<string>
  stop: () => Promise<void>
}

const READY_LIMIT_MS = 60_000
const READY_CHECK_MS = 100

export async function startMonitoring({
  directory,
  files,
  ports,
  redisAddress,
}: MonitoringOptions): Promise<Monitoring> {
  await mkdir(directory, { recursive: true })
  const file = async (name: string, text: string) => {
    const path = join(directory, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  const prometheusFile = await file('prometheus.yml', files.prometheus)
  const alertmanagerFile = await file('alertmanager.yml', files.alertmanager)
  const here = (port: number) => `127.0.0.1:${port}`
  const children: { name: string; url: string; child: GuardedChild }[] = []
  const start = (name: string, command: string, args: string[], url: string) =>
    children.push({ name, url, child: startGuarded({ command, args, cwd: directory }) })

  start(
    'Alertmanager',
    findMonitoring('alertmanager'),
    [
      ...[`--config.file=${alertmanagerFile}`, `--storage.path=${join(directory, 'alertmanager')}`],
      // Alone: it looks for no others on the network.
      ...[`--web.listen-address=${here(ports.alertmanager)}`, '--cluster.listen-address='],
    ],
    `http://${here(ports.alertmanager)}/-/ready`,
  )
  if (redisAddress !== null)
    start(
      'the exporter for Redis',
      findMonitoring('redisExporter'),
      [`--redis.addr=${redisAddress}`, `--web.listen-address=${here(ports.redisExporter)}`],
      `http://${here(ports.redisExporter)}/health`,
    )
  start(
    'Prometheus',
    findMonitoring('prometheus'),
    [
      ...[`--config.file=${prometheusFile}`, `--storage.tsdb.path=${join(directory, 'prometheus')}`],
      // The promises are about thirty days.
      ...['--storage.tsdb.retention.time=35d', `--web.listen-address=${here(ports.prometheus)}`],
    ],
    `http://${here(ports.prometheus)}/-/ready`,
  )
  const stop = async () => {
    await Promise.all(children.map(({ child }) => child.stop()))
  }
  const ended = Promise.race(
    children.map(({ name, child }) => child.exited.then(({ output }) => `${name} ended:\n${output.slice(-1_000)}`)),
  )
  try {
    await Promise.race([
      Promise.all(children.map(({ name, url }) => untilReady(name, url))),
      ended.then((said) => Promise.reject(new Error(said))),
    ])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    prometheusUrl: `http://${here(ports.prometheus)}`,
    alertmanagerUrl: `http://${here(ports.alertmanager)}`,
    ended,
    stop,
  }
}

async function untilReady(name: string, url: string): Promise<void> {
  for (let attempt = 0; attempt < READY_LIMIT_MS / READY_CHECK_MS; attempt++) {
    const ready = await fetch(url).then(
      (answer) => answer.ok,
      // Nobody listens yet.
      () => false,
    )
    if (ready) return
    await wait(READY_CHECK_MS)
  }
  throw new Error(`${name} was not ready within ${READY_LIMIT_MS / 1_000} s.`)
}
