// The programs that tests need besides Node: where they are, how to get them, and what to say when they are missing.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { canInstallWithApt, installWithApt } from '#server/embedded/apt-install.ts'
import { findProgram } from '#server/embedded/find-program.ts'
import { usableRedis } from '#server/embedded/redis.ts'

const DEBIAN_POSTGRES = '/usr/lib/postgresql'
const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** The directory with `initdb` and `postgres`, newest version first. */
export function findPostgres(): string {
  const directory = postgresDirectory()
  if (directory !== null) return directory
  throw new Error('Postgres was not found. Install it (for example "sudo apt install postgresql").')
}

function postgresDirectory(): string | null {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : []
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map((name) => join(DEBIAN_POSTGRES, name, 'bin'))
  const found = findProgram(['initdb'], newestFirst)
  return found === null ? null : join(found, '..')
}

/** A Chromium of the system, or null: then Playwright looks for the one it downloads itself. */
export function findChromium(): string | null {
  return process.env.CHROMIUM_PATH ?? findProgram(CHROMIUM_NAMES)
}

/** Prometheus, its tool, Alertmanager and the exporter for Redis, as Debian names them or as their makers do. */
const MONITORING = {
  prometheus: ['prometheus'],
  promtool: ['promtool'],
  alertmanager: ['prometheus-alertmanager', 'alertmanager'],
  redisExporter: ['prometheus-redis-exporter', 'redis_exporter'],
}

export function findMonitoring(name: keyof typeof MONITORING): string {
  const found = findProgram(MONITORING[name])
  if (found !== null) return found
  throw new Error(
    `${MONITORING[name][0]} was not found. Install it (for example "sudo apt install ${MONITORING_PACKAGES.join(' ')}").`,
  )
}
export const findPromtool = (): string => findMonitoring('promtool')
const MONITORING_PACKAGES = ['prometheus', 'prometheus-alertmanager', 'prometheus-redis-exporter']

type Need = { name: string; packages: string[]; present: () => Promise<boolean> }

const NEEDS: Record<'redis' | 'postgres' | 'chromium' | 'monitoring', Need> = {
  monitoring: {
    name: 'Prometheus',
    packages: MONITORING_PACKAGES,
    present: async () => Object.values(MONITORING).every((names) => findProgram(names) !== null),
  },
  redis: {
    name: 'Redis 7 or newer',
    packages: ['redis-server'],
    present: async () => (await usableRedis()).path !== null,
  },
  postgres: { name: 'Postgres', packages: ['postgresql'], present: async () => postgresDirectory() !== null },
  chromium: {
    name: 'Chromium',
    packages: ['chromium'],
    present: async () => findChromium() !== null || (await playwrightHasItsOwn()),
  },
}

async function playwrightHasItsOwn(): Promise<boolean> {
  const { chromium } = await import('@playwright/test')
  return existsSync(chromium.executablePath())
}

/** Installs what is missing where that needs no question; returns one line for each that is still missing. */
export async function ensurePrograms(
  names: (keyof typeof NEEDS)[],
  onProgress: (line: string) => void,
): Promise<string[]> {
  const missing: string[] = []
  for (const { name, packages, present } of names.map((key) => NEEDS[key])) {
    if (await present()) continue
    const failure = canInstallWithApt() ? await installed(packages, onProgress) : null
    if (await present()) continue
    missing.push(
      `${name} is missing: install it (for example "sudo apt install ${packages.join(' ')}").${failure ?? ''}`,
    )
  }
  return missing
}

/** Null when it worked, else why not. */
async function installed(packages: string[], onProgress: (line: string) => void): Promise<string | null> {
  try {
    await installWithApt(packages, onProgress)
    return null
  } catch (error) {
    return ` ${error instanceof Error ? error.message : String(error)}`
  }
}
