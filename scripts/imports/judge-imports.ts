// Decides: takes the sources as texts, gives back one line for each import that breaks a rule and for each cycle.
import { dirname, join } from 'node:path/posix'
import { type Import, readSource, type SourceFacts } from './read-imports.ts'
import { ROOMS, type Room } from './rooms.ts'

/** Paths from the root of the repository, with their sources. */
export type Sources = ReadonlyMap<string, string>

export function judgeImports(sources: Sources, rooms: Room[] = ROOMS): string[] {
  const problems: string[] = []
  const edges = new Map<string, string[]>()
  for (const [path, source] of sources) {
    if (isTest(path)) continue
    const facts = readSource(path, source)
    const room = roomOf(path, rooms)
    if (room === undefined) problems.push(`${path} belongs to no room: add one to scripts/imports/rooms.ts`)
    else problems.push(...brokenRules(path, facts, room))
    edges.set(
      path,
      facts.imports.map(({ specifier }) => fileOf(path, specifier)).filter((file) => file !== null),
    )
  }
  return [...problems, ...cycles(edges).map((cycle) => `cycle: ${cycle.join(' → ')}`)]
}

/** Files that only run under a test runner may reach for everything. */
export const isTest = (path: string): boolean => /\.(test|fixture|contract|spec)\.tsx?$/.test(path)

const roomOf = (path: string, rooms: Room[]): Room | undefined => rooms.find((room) => within(path, room.paths))

/** A beginning that ends in `/` is a folder, any other a whole path. */
const within = (path: string, beginnings: string[]): boolean =>
  beginnings.some((beginning) => (beginning.endsWith('/') ? path.startsWith(beginning) : path === beginning))

function brokenRules(path: string, facts: SourceFacts, room: Room): string[] {
  const broken = facts.imports
    .filter((entry) => !isAllowed(path, entry, room))
    .map(({ specifier }) => `${path}: ${room.name} must not import ${specifier}`)
  const ambient = room.pure
    ? facts.ambient.map((name) => `${path}: ${room.name} must be given ${name}, not read it`)
    : []
  return [...broken, ...ambient]
}

function isAllowed(path: string, { specifier, typeOnly }: Import, room: Room): boolean {
  const file = fileOf(path, specifier)
  if (file !== null) {
    const allowed = [...room.paths, ...room.mayUse, ...(typeOnly ? (room.mayUseTypes ?? []) : [])]
    return within(file, allowed)
  }
  if (room.onlyPackages && !names(room.onlyPackages, specifier)) return false
  return !(room.notPackages && names(room.notPackages, specifier))
}

const names = (packages: string[], specifier: string): boolean =>
  packages.some((entry) =>
    entry.endsWith(':') ? specifier.startsWith(entry) : specifier === entry || specifier.startsWith(`${entry}/`),
  )

/** The path in the repository that a specifier means; null for packages. */
function fileOf(from: string, specifier: string): string | null {
  const bare = specifier.replace(/\?.*$/, '')
  if (bare.startsWith('.')) return join(dirname(from), bare)
  if (bare.startsWith('#')) return bare.slice(1)
  return null
}

/** Each cycle once, from the file that comes first in the alphabet. */
function cycles(edges: Map<string, string[]>): string[][] {
  const found = new Map<string, string[]>()
  const finished = new Set<string>()
  const trail: string[] = []
  const follow = (path: string) => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      const cycle = fromFirst(trail.slice(at))
      found.set(cycle.join(), [...cycle, cycle[0]!])
      return
    }
    if (finished.has(path)) return
    trail.push(path)
    for (const next of edges.get(path) ?? []) follow(next)
    trail.pop()
    finished.add(path)
  }
  for (const path of edges.keys()) follow(path)
  return [...found.values()]
}

function fromFirst(cycle: string[]): string[] {
  const first = cycle.indexOf(cycle.toSorted()[0]!)
  return [...cycle.slice(first), ...cycle.slice(0, first)]
}
