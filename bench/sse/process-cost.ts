// What a process and everything it has started costs, as the kernel counts it. Linux only.
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4_096

export type Cost = { cpuSeconds: number; residentBytes: number }

type Stat = { pid: number; parent: number; ticks: number; pages: number }

/** `only`: counts those whose command line fits. */
export function costOf(root: number, only: RegExp = /./): Cost {
  const all = processes()
  const tree = new Set([root])
  for (let grew = true; grew; ) {
    grew = false
    for (const { pid, parent } of all)
      if (tree.has(parent) && !tree.has(pid)) {
        tree.add(pid)
        grew = true
      }
  }
  const counted = all.filter(({ pid }) => tree.has(pid) && only.test(commandOf(pid)))
  return {
    cpuSeconds: counted.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentBytes: counted.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES,
  }
}

function processes(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8')
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
        const ticks = Number(fields[11]) + Number(fields[12])
        return [{ pid: Number(name), parent: Number(fields[1]), ticks, pages: Number(fields[21]) }]
      } catch {
        // It ended while we looked.
        return []
      }
    })
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    // It ended while we looked.
    return ''
  }
}
