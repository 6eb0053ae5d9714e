// A poll with nothing new: CPU of the server per answer, beside a bare `http` server that says 304 to everything.
import { fork, spawn } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '#scripts/testing/postgres-server.ts'
import { median, round } from './measure.ts'
import { costOf } from './sse/process-cost.ts'
import { startSignalFeed } from './sse/product.ts'

export const summary = 'CPU of a poll with nothing new, beside a bare http answer'

const GOAL = 2
/** Each may be told "nothing new" so many times a minute: enough of them for what is asked here. */
const SESSIONS = 4_000
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

type Target = { port: number; requests: string[]; connections: number; pid: number; counted: RegExp }

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '5' } },
  })
  const seconds = Number(values.seconds)
  const ours: number[] = []
  const bare: number[] = []
  for (let i = 0; i < Number(values.rounds); i++) {
    bare.push(await bareHttp(seconds))
    ours.push(await signalFeed(seconds))
    console.error(`round ${i + 1}: ${bare.at(-1)} µs bare, ${ours.at(-1)} µs ours`)
  }
  const times = round(median(ours.map((one, index) => one / bare[index]!)))
  return {
    pollMicroseconds: median(ours),
    bareMicroseconds: median(bare),
    goal: { timesBare: times, atMost: GOAL, met: times <= GOAL },
  }
}

async function bareHttp(seconds: number): Promise<number> {
  const port = await freePort()
  const child = spawn(process.execPath, [here('sse/servers/bare-http.ts')], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const text = `GET /poll HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: "same"\r\n\r\n`
  try {
    return await ask({ port, requests: [text], connections: 20, pid: child.pid!, counted: /./ }, seconds)
  } finally {
    child.kill('SIGKILL')
  }
}

async function signalFeed(seconds: number): Promise<number> {
  const system = await startSignalFeed({ people: SESSIONS })
  try {
    const { port, cookies = [] } = system.reach
    const first = await get(port, '/api/trpc/activities.getFeed?input=%7B%7D', { cookie: cookies[0]! })
    const { liveCursor } = JSON.parse(first.body).result.data
    const path = `/api/trpc/activities.getFeed?input=${encodeURIComponent(JSON.stringify({ since: liveCursor }))}`
    const requests: string[] = []
    for (const cookie of cookies) {
      const { etag, setCookie } = await get(port, path, { cookie })
      const both = `${cookie}; ${setCookie.split(';')[0]}`
      requests.push(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${both}\r\nIf-None-Match: ${etag}\r\n\r\n`,
      )
    }
    return await ask({ port, requests, connections: 20, pid: system.pid, counted: system.counted }, seconds)
  } finally {
    await system.stop()
  }
}

/** CPU microseconds per answer. */
async function ask({ pid, counted, ...order }: Target, seconds: number): Promise<number> {
  const child = fork(here('sse/poll-process.ts'))
  const askFor = (duration: number) =>
    new Promise<Record<string, number>>((resolve) => {
      child.once('message', (statuses) => resolve(statuses as Record<string, number>))
      child.send({ ...order, seconds: duration })
    })
  try {
    await askFor(1)
    const before = costOf(pid, counted).cpuSeconds
    const statuses = await askFor(seconds)
    const cpu = costOf(pid, counted).cpuSeconds - before
    const answers = statuses['304'] ?? 0
    if (Object.keys(statuses).some((status) => status !== '304'))
      throw new Error(`not every poll was a 304: ${JSON.stringify(statuses)}`)
    return round((cpu * 1e6) / answers)
  } finally {
    child.kill('SIGKILL')
  }
}

function get(port: number, path: string, headers: Record<string, string>) {
  return new Promise<{ body: string; etag: string; setCookie: string }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, headers }, (res) => {
      let body = ''
      res.on('data', (bytes) => {
        body += bytes
      })
      res.on('end', () =>
        resolve({ body, etag: String(res.headers.etag), setCookie: res.headers['set-cookie']?.at(-1) ?? '' }),
      )
    })
      .on('error', reject)
      .end()
  })
}
