// Installs a Debian package when that is possible without asking anybody: as root, with apt at hand.
import { spawn } from 'node:child_process'
import { findProgram } from './find-program.ts'

export function canInstallWithApt(): boolean {
  return process.getuid?.() === 0 && findProgram(['apt-get'], ['/usr/bin']) !== null
}

export async function installWithApt(packages: string[], onProgress: (line: string) => void): Promise<void> {
  onProgress(`Installing ${packages.join(', ')} with apt …`)
  const install = ['install', '-y', '--no-install-recommends', ...packages]
  // A fresh machine has no package lists, an old one outdated lists: both fail first and work after an update.
  if ((await runApt(install)).code === 0) return
  onProgress('Fetching the package lists …')
  await runApt(['update'])
  const second = await runApt(install)
  if (second.code !== 0) {
    throw new Error(`apt-get could not install ${packages.join(', ')}: ${lastLine(second.output)}`)
  }
}

function runApt(args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('apt-get', args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // RUNLEVEL keeps the packages from starting system services: we run our own copies.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('close', (code) => resolve({ code, output }))
  })
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
