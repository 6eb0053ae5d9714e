// The only reader of environment variables: parsed once, checked by zod, handed on as values. A bad value becomes one
// line that names the variable; what is not set has a default with which the product runs on one machine.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'

export type Mode = 'development' | 'production'

/** Only for development: whoever knows it can forge a session, and everybody can read it here. */
export const DEVELOPMENT_SECRET = 'signal-feed-development-secret-not-for-production'
export const SECRET_MIN_CHARS = 32

/** Instead of an address: there is to be none. */
const NONE = 'none'

export type Oidc = { issuer: string; clientId: string; clientSecret: string; name: string }

export type Env = {
  mode: Mode
  port: number
  host: string
  dataDir: string
  databaseUrl: string | null
  redisUrl: string | null
  edgeUrl: string | null
  /** Whether the commands may start an edge of their own beside the product. */
  edgeBeside: boolean
  /** Where browsers reach the edge; null: they do not, and only the server talks to it. */
  edgePublicUrl: string | null
  edgePort: number
  /** Given by whoever runs the edge; null: we sign our own with a key made from the secret. */
  edgeToken: string | null
  /** Every activity of a public topic is posted there, signed. */
  webhook: { url: string; secret: string } | null
  /** People may have their webhooks sent to addresses that are not public, and over plain http. */
  privateWebhooks: boolean
  workers: number
  /** Opens /metrics to other machines; null: it is for this one only. */
  metricsToken: string | null
  /** Null: make one and keep it in the data directory (server/config/kept-secret.ts). */
  authSecret: string | null
  /** Scheme, host and port under which browsers reach us; null: believe the Host header. */
  publicOrigin: string | null
  oidc: Oidc | null
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  seedDemo: boolean
  demoBot: boolean
  authThrottle: boolean
  /** Whether each process keeps publishing to itself, to see that the way is free. */
  canary: boolean
  /** How many proxies in front of us add to X-Forwarded-For; 0: the header is not believed. */
  trustProxyHops: number
  /** New live connections that one process admits in a second. */
  admissionsPerSecond: number
  /** Writes to a live connection are at least this far apart, in milliseconds. */
  sseWindowMs: number
}

/** A value that stops the start; its message is the one line to print. */
export class EnvError extends Error {
  override readonly name = 'EnvError'
}

const port = (fallback: number) =>
  z.coerce.number('must be a port number').int('must be a whole number').min(0).max(65_535).default(fallback)
const flag = (fallback: boolean) =>
  z
    .enum(['1', '0', 'on', 'off', 'true', 'false', 'yes', 'no'], 'must be on or off')
    .transform((value) => ['1', 'on', 'true', 'yes'].includes(value))
    .default(fallback)
const address = (...schemes: string[]) =>
  z.string().refine(
    (value) => {
      const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : ''
      return schemes.includes(scheme)
    },
    `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )

const variables = (mode: Mode) =>
  z.object({
    PORT: port(3000),
    HOST: z.string().default(mode === 'development' ? '127.0.0.1' : '0.0.0.0'),
    DATA_DIR: z.string().default('.data'),
    DATABASE_URL: address('postgres', 'postgresql').optional(),
    REDIS_URL: address('redis', 'rediss', 'redis+unix', 'unix').optional(),
    EDGE_URL: z.union([z.literal(NONE), address('http', 'https')]).optional(),
    EDGE_PUBLIC_URL: z.union([z.literal(NONE), address('http', 'https')]).optional(),
    EDGE_PORT: port(8787),
    EDGE_TOKEN: z.string().optional(),
    WEBHOOK_URL: address('http', 'https').optional(),
    WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
    WEBHOOK_PRIVATE: flag(mode === 'development'),
    WORKERS: z.coerce.number('must be a number').int('must be a whole number').min(1).max(64).default(1),
    METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
    AUTH_SECRET: z.string().min(SECRET_MIN_CHARS, `must have at least ${SECRET_MIN_CHARS} characters`).optional(),
    PUBLIC_URL: address('http', 'https').optional(),
    OIDC_ISSUER: address('http', 'https').optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    OIDC_NAME: z.string().max(40).default('single sign-on'),
    LOG_LEVEL: z
      .enum(
        ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
        'must be fatal, error, warn, info, debug, trace or silent',
      )
      .default('info'),
    SEED_DEMO: flag(mode === 'development'),
    DEMO_BOT: flag(mode === 'development'),
    AUTH_THROTTLE: flag(true),
    CANARY: flag(true),
    TRUST_PROXY: z.coerce
      .number('must be the number of proxies')
      .int('must be a whole number')
      .min(0)
      .max(10)
      .default(0),
    SSE_WINDOW_MS: z.coerce.number('must be a number').min(0).max(1_000).default(5),
    SSE_ADMISSIONS_PER_SECOND: z.coerce
      .number('must be a number')
      .int('must be a whole number')
      .min(1)
      .max(1_000_000)
      .default(100),
  })

export function readEnv(environment: Record<string, string | undefined>, mode: Mode): Env {
  // `NAME=` in a file or a compose template means "not set", not "set to nothing".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  const parsed = variables(mode).safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!
    throw new EnvError(`${issue.path.join('.')} ${sentence(issue.message)}.`)
  }
  const values = parsed.data

  if (values.WORKERS > 1 && !values.DATABASE_URL)
    throw new EnvError(
      'WORKERS above 1 needs DATABASE_URL: the embedded database serves one process. Set DATABASE_URL or leave WORKERS out.',
    )
  if (values.WORKERS > 1 && mode === 'development')
    throw new EnvError('WORKERS above 1 is for production: use npm start, or leave WORKERS out.')
  if (mode === 'production' && values.AUTH_SECRET === DEVELOPMENT_SECRET)
    throw new EnvError(
      'AUTH_SECRET is the development secret, which anybody can read: set your own, or leave it out to have one made.',
    )
  if (values.SEED_DEMO && mode === 'production')
    throw new EnvError('SEED_DEMO makes accounts with a known password: it is for npm run dev only.')
  if (values.WEBHOOK_URL && !values.WEBHOOK_SECRET)
    throw new EnvError('WEBHOOK_URL needs WEBHOOK_SECRET: without a signature nobody can trust what arrives.')
  // Unlimited guessing must not be reachable from other machines.
  if (!values.AUTH_THROTTLE && !isLoopback(values.HOST))
    throw new EnvError('AUTH_THROTTLE=off is only allowed with HOST=127.0.0.1 or localhost.')

  const edgeUrl = named(values.EDGE_URL)
  return {
    mode,
    port: values.PORT,
    host: values.HOST,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL ?? null,
    redisUrl: values.REDIS_URL ?? null,
    edgeUrl,
    edgeBeside: values.EDGE_URL === undefined,
    edgePublicUrl: edgeUrl && named(values.EDGE_PUBLIC_URL ?? edgeUrl),
    edgePort: values.EDGE_PORT,
    edgeToken: values.EDGE_TOKEN ?? null,
    webhook:
      values.WEBHOOK_URL && values.WEBHOOK_SECRET ? { url: values.WEBHOOK_URL, secret: values.WEBHOOK_SECRET } : null,
    privateWebhooks: values.WEBHOOK_PRIVATE,
    workers: values.WORKERS,
    metricsToken: values.METRICS_TOKEN ?? null,
    authSecret: values.AUTH_SECRET ?? (mode === 'development' ? DEVELOPMENT_SECRET : null),
    publicOrigin: values.PUBLIC_URL ? new URL(values.PUBLIC_URL).origin : null,
    oidc: readOidc(values),
    logLevel: values.LOG_LEVEL,
    seedDemo: values.SEED_DEMO,
    demoBot: values.DEMO_BOT,
    authThrottle: values.AUTH_THROTTLE,
    canary: values.CANARY,
    trustProxyHops: values.TRUST_PROXY,
    admissionsPerSecond: values.SSE_ADMISSIONS_PER_SECOND,
    sseWindowMs: values.SSE_WINDOW_MS,
  }
}

/** An address, or none where that was said. */
const named = (address: string | undefined): string | null =>
  address === undefined || address === NONE ? null : address

function readOidc(values: z.infer<ReturnType<typeof variables>>): Oidc | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values
  if (!issuer && !clientId && !clientSecret) return null
  if (!issuer || !clientId || !clientSecret)
    throw new EnvError('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together: set all three or none.')
  return { issuer: issuer.replace(/\/+$/, ''), clientId, clientSecret, name: values.OIDC_NAME }
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

/** The one line for a start that failed because of a value, or null when the failure is something else. */
export function envErrorLine(error: unknown): string | null {
  return error instanceof EnvError ? `Cannot start: ${error.message}` : null
}

/** zod's own texts start with a capital and end without a stop; ours follow the variable's name. */
const sentence = (message: string) =>
  message.startsWith('must') || message.startsWith('is') ? message : `is not valid (${message})`
