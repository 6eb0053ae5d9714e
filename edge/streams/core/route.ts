// Which stream a path means. `/v1/<project>/stream/<id>`, and `/v1/stream/<id>` for the project `default`, so no project
// can be called `stream`. Object names are built here and nowhere else: a project cannot spell another's stream.

export const DEFAULT_PROJECT = 'default'
/** First segment of the protocol's own paths below a stream root. */
export const CONTROL_SEGMENT = '__ds'

const PROJECT = /^[a-zA-Z0-9_-]{1,64}$/
const ID = /^[a-zA-Z0-9_:.-]+(\/[a-zA-Z0-9_:.-]+)*$/
const MAX_ID_CHARS = 512
const DOTS = /(^|\/)\.{1,2}(\/|$)/
const SESSION = /^session:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TOPIC = /^topic:[a-zA-Z0-9_.-]+$/

export type StreamRoute = { kind: 'stream'; project: string; id: string }
/** `root` is the path before `__ds`; `rest` the decoded segments after it. */
export type ControlRoute = { kind: 'control'; project: string; root: string; rest: string[] }
export type Route = StreamRoute | ControlRoute

export function parseRoute(path: string): Route | null {
  const segments = path.split('/')
  if (segments[0] !== '' || segments[1] !== 'v1') return null
  const short = segments[2] === 'stream'
  if (!short && segments[3] !== 'stream') return null
  const project = short ? DEFAULT_PROJECT : segments[2]!
  if (!isProject(project)) return null
  const rest = segments.slice(short ? 3 : 4).map(decode)
  if (rest.some((segment) => segment === null)) return null
  const names = rest as string[]
  if (names[0] === CONTROL_SEGMENT)
    return { kind: 'control', project, root: segments.slice(0, short ? 3 : 4).join('/'), rest: names.slice(1) }
  const id = names.join('/')
  return isStreamId(id) ? { kind: 'stream', project, id } : null
}

/** The project of `/v1/<project>/beat`, where the origin says that it lives; null for every other path. */
export function parseBeatProject(path: string): string | null {
  const [empty, version, project = '', area, ...rest] = path.split('/')
  const fits = empty === '' && version === 'v1' && area === 'beat' && rest.length === 0
  return fits && isProject(project) ? project : null
}

export const isProject = (name: string): boolean => PROJECT.test(name) && name !== 'stream'

export function isStreamId(id: string): boolean {
  if (id.length > MAX_ID_CHARS || !ID.test(id) || DOTS.test(id) || id.split('/')[0] === CONTROL_SEGMENT) return false
  if (id.startsWith('session:')) return SESSION.test(id)
  return !id.startsWith('topic:') || TOPIC.test(id)
}

/** Streams that only the subscription worker makes and writes. */
export const isSessionStream = (id: string): boolean => id.startsWith('session:')
/** Streams of the product, which the protocol's own subscriptions do not see. */
export const isReserved = (id: string): boolean => isSessionStream(id) || id.startsWith('topic:')

/** A project's name has no slash, so the first one parts it from the id. */
export const objectName = (project: string, id: string): string => `${project}/${id}`

export function splitObjectName(name: string): { project: string; id: string } {
  const slash = name.indexOf('/')
  return { project: name.slice(0, slash), id: name.slice(slash + 1) }
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
