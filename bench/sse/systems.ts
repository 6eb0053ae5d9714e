// The servers that are measured beside each other, each in a process of its own and published to over HTTP.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#scripts/testing/postgres-server.ts'
import type { LoadOptions } from './clients.ts'

export type System = {
  name: string
  /** What clients need to reach it. */
  reach: Partial<LoadOptions> & { port: number; path: string }
  publish: (text: string) => Promise<void>
  /** Asks for the newest page. */
  read?: () => Promise<void>
  /** The process whose tree is counted, and which of its members. */
  pid: number
  counted: RegExp
  stop: () => Promise<void>
}

export type SystemName = 'plain' | 'better-sse' | 'socket-io' | 'nchan'

/** About what an activity weighs as JSON, so that all servers move the same bytes. */
const FILLING = 'x'.repeat(400)

export function startReference(name: SystemName): Promise<System> {
  return name === 'nchan' ? startNchan() : startNode(name)
}

async function startNode(name: Exclude<SystemName, 'nchan'>): Promise<System> {
  const port = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))], {
    env: { ...process.env, PORT: String(port), NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
  const socketio = name === 'socket-io'
  const poster = createPoster(port, '/publish')
  return {
    name,
    reach: {
      port,
      path: socketio ? '/socket.io/?EIO=4&transport=websocket' : '/sse',
      protocol: socketio ? 'socketio' : 'sse',
    },
    publish: (text) => poster.post(`${text}${FILLING}`),
    pid: child.pid!,
    counted: /./,
    stop: async () => {
      poster.close()
      child.kill('SIGKILL')
    },
  }
}

export const hasNchan = (): boolean =>
  existsSync('/usr/lib/nginx/modules/ngx_nchan_module.so') && spawnSync('nginx', ['-v']).status === 0

async function startNchan(): Promise<System> {
  const directory = await mkdtemp(join(tmpdir(), 'sf-nchan-'))
  const port = await freePort()
  const config = join(directory, 'nginx.conf')
  await writeFile(config, nchanConfig(directory, port))
  const child = spawn('nginx', ['-c', config, '-p', directory], { stdio: 'inherit' })
  const poster = createPoster(port, '/publish')
  for (let tries = 0; ; tries++) {
    try {
      await poster.post('hello')
      break
    } catch (error) {
      if (tries > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return {
    name: 'nchan',
    reach: { port, path: '/sse' },
    publish: (text) => poster.post(`${text}${FILLING}`),
    pid: child.pid!,
    counted: /nginx/,
    stop: async () => {
      poster.close()
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const nchanConfig = (directory: string, port: number): string => `
load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
error_log ${directory}/error.log;
pid ${directory}/pid;
events { worker_connections 19000; use epoll; }
http {
  access_log off;
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
  keepalive_requests 1000000;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /publish { nchan_publisher; nchan_channel_id feed; nchan_message_buffer_length 100; }
    location = /sse { nchan_subscriber eventsource; nchan_channel_id feed; nchan_subscriber_first_message newest; }
  }
}
`

/** Calls over connections that stay open, as a busy publisher does. */
export function createPoster(port: number, path: string, headers: Record<string, string> = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const call = (method: 'GET' | 'POST', address: string, body?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const req = request({ agent, port, host: '127.0.0.1', path: address, method, headers }, (res) => {
        let text = ''
        res.on('data', (bytes) => {
          text += bytes
        })
        res.on('end', () =>
          (res.statusCode ?? 500) < 300
            ? resolve()
            : reject(new Error(`${address} answered ${res.statusCode}: ${text}`)),
        )
      })
      req.on('error', reject)
      req.end(body)
    })
  return {
    post: (body: string) => call('POST', path, body),
    get: (address: string) => call('GET', address),
    close: () => agent.destroy(),
  }
}
