// A running system under a real Prometheus: what is asked for is exported, what is exported is asked for, and a fault
// reaches whoever is on call and is taken back when it is over.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Monitoring, startMonitoring } from '#scripts/monitoring/start-monitoring.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { freePort } from '#scripts/testing/postgres-server.ts'
import { findPromtool } from '#scripts/testing/programs.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'
import type { Alert } from './alert.ts'
import { expressionOf } from './alert.ts'
import { ALERTS } from './alerts/all.ts'
import { alertmanagerConfig, prometheusConfig } from './configs.ts'
import { panelQueries } from './grafana/boards.ts'
import { familyOf, metricsIn } from './promql.ts'
import { alertsFile, recordingFile } from './rules.ts'
import { recordingGroups } from './slo.ts'
import { expectedUnused } from './unused.ts'

const EVENTUALLY = { timeout: 60_000, interval: 250 }
const SECRET = 'a-secret-for-hooks-of-tests'

let folder = ''
let product: Product
let edge: Awaited<ReturnType<typeof startTestEdge>>
let monitoring: Monitoring
let ada: TestPerson
const servers: Server[] = []
/** Where webhooks go: it answers, or leaves everybody waiting. */
let hangs = false
/** What Alertmanager has told, newest state of each alert. */
const told = new Map<string, 'firing' | 'resolved'>()

async function serve(answer: (body: string, done: () => void) => void): Promise<string> {
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    req.on('end', () => answer(body, () => res.writeHead(200).end()))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The real rules with other numbers: a test cannot wait for minutes, nor publish thousands. */
const hurried = (name: string): Alert => {
  const alert = ALERTS.find((one) => one.name === name)!
  const quick = (text: string) =>
    text
      .replaceAll(/\[10m\]/g, '[20s]')
      .replace('> 5000', '> 100')
      .replace('> 1000', '> 30')
  return { ...alert, when: alert.when.map(quick), unless: (alert.unless ?? []).map(quick), for: '2s' }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sf-monitoring-'))
  const hooks = await serve((_, done) => {
    if (!hangs) done()
  })
  const onCall = await serve((body, done) => {
    for (const { labels, status } of JSON.parse(body).alerts) told.set(labels.alertname, status)
    done()
  })
  ;[product, edge] = await Promise.all([
    startProduct('postgres', { canary: true, webhook: { url: hooks, secret: SECRET } }),
    startTestEdge(),
  ])
  ada = await product.person('ada')
  await writeFile(join(folder, 'recording.yml'), recordingFile('1s'))
  const groups = [{ name: 'hurried', alerts: [hurried('PELConsumerStarvation'), hurried('StreamLagHigh')] }]
  await writeFile(join(folder, 'alerts.yml'), alertsFile(groups, '1s'))
  const ports = { prometheus: await freePort(), alertmanager: await freePort(), redisExporter: await freePort() }
  monitoring = await startMonitoring({
    directory: folder,
    ports,
    redisAddress: product.redisServer.url,
    files: {
      prometheus: prometheusConfig({
        ...{ productUrl: product.base, alerts: true, scrape: '1s' },
        server: [new URL(product.base).host],
        edge: [new URL(edge.url).host],
        redis: [`127.0.0.1:${ports.redisExporter}`],
        alertmanager: [`127.0.0.1:${ports.alertmanager}`],
        rules: [join(folder, 'recording.yml'), join(folder, 'alerts.yml')],
      }),
      alertmanager: alertmanagerConfig({ groupWait: '0s', groupInterval: '1s', repeat: '1h', webhook: onCall }),
    },
  })
  await vi.waitFor(async () => expect(await ask('up == 1')).toHaveLength(3), EVENTUALLY)
})
afterAll(async () => {
  hangs = false
  await monitoring?.stop()
  await Promise.all([product?.stop(), edge?.stop()])
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await rm(folder, { recursive: true, force: true })
})

async function api<T>(path: string): Promise<T> {
  const answer = await (await fetch(`${monitoring.prometheusUrl}/api/v1/${path}`)).json()
  if (answer.status !== 'success') throw new Error(`${decodeURIComponent(path)}: ${answer.error}`)
  return answer.data
}
const ask = async (query: string) =>
  (await api<{ result: { value: [number, string] }[] }>(`query?query=${encodeURIComponent(query)}`)).result

const scrape = async (url: string) => (await fetch(`${url}/metrics`)).text()
const familiesOf = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)

const questions = () => [
  ...panelQueries(),
  ...ALERTS.map((alert) => ({ where: alert.name, expr: expressionOf(alert) })),
  ...recordingGroups().flatMap(({ rules }) => rules.map(({ record, expr }) => ({ where: record, expr }))),
]

describe('what is asked and what is exported', () => {
  test('[MON-1] server and edge pass the lint of Prometheus', async () => {
    for (const text of await Promise.all([scrape(product.base), scrape(edge.url)])) {
      const complaints = await new Promise<string>((resolve) => {
        const child = execFile(findPromtool(), ['check', 'metrics'], (_, said, more) => resolve(said + more))
        child.stdin!.end(text)
      })
      expect(complaints).toBe('')
    }
  })

  test('[MON-5] every metric of every panel and rule is exported by the running system', async () => {
    // What is declared and has not happened yet, such as a collection of garbage, counts as well.
    const declared = [...familiesOf(await scrape(product.base)), ...familiesOf(await scrape(edge.url))]
    const exported = new Set([...(await api<string[]>('label/__name__/values')).map(familyOf), ...declared])
    const recorded = new Set(recordingGroups().flatMap(({ rules }) => rules.map(({ record }) => record)))
    const known = (name: string) => recorded.has(name) || name === 'ALERTS' || exported.has(familyOf(name))
    const missing = questions().flatMap(({ where, expr }) =>
      metricsIn(expr)
        .filter((name) => !known(name))
        .map((name) => `${where}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('[MON-5] whatever server and edge export is asked for, or has a reason', async () => {
    const asked = new Set(questions().flatMap(({ expr }) => metricsIn(expr).map(familyOf)))
    const exported = [...familiesOf(await scrape(product.base)), ...familiesOf(await scrape(edge.url))]
    expect(exported.filter((name) => !asked.has(name) && !expectedUnused(name))).toEqual([])
  })

  test('[MON-5] Prometheus understands every panel', async () => {
    for (const { expr } of panelQueries()) await ask(expr.replaceAll('$__rate_interval', '1m'))
  })
})

describe.sequential('[MON-7] [DLV-7] a fault reaches whoever is on call, and its end too', () => {
  let n = 0
  const publish = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        ada.call('activities.publish', { topic: 'user/ada', verb: 'posted', summary: `number ${++n}` }),
      ),
    )

  test('readers stop: nothing is pending, and the lag is told', async () => {
    await product.redis.sendCommand(['ACL', 'SETUSER', 'default', '-xreadgroup'])
    // More than the lag may be, and less than starves anybody: that would silence the smaller alert.
    await publish(60)
    await expect.poll(() => told.get('StreamLagHigh'), EVENTUALLY).toBe('firing')
    const [pending] = await ask('max(sse_pel_total_pending)')
    expect(Number(pending!.value[1])).toBeLessThan(10)
    await product.redis.sendCommand(['ACL', 'SETUSER', 'default', '+xreadgroup'])
    await expect.poll(() => told.get('StreamLagHigh'), EVENTUALLY).toBe('resolved')
  })

  test('a handler hangs: starvation is told, although another handler works', async () => {
    hangs = true
    let starving = true
    const more = async () => {
      for (; starving; await new Promise((resolve) => setTimeout(resolve, 500))) await publish(10)
    }
    const publishing = more()
    try {
      await expect.poll(() => told.get('PELConsumerStarvation'), EVENTUALLY).toBe('firing')
    } finally {
      starving = false
      await publishing
      hangs = false
    }
    for (const server of servers) server.closeAllConnections()
    await expect.poll(() => told.get('PELConsumerStarvation'), EVENTUALLY).toBe('resolved')
  })
})
