// What a request to the hub is about: `/v1/<project>/hub/…`.
import { isTopic } from '#shared/hub/address.ts'
import { isProject } from '../../streams/core/route.ts'

export type HubRoute = { project: string } & (
  | { action: 'connect' | 'discover' | 'broadcast' | 'revoke' | 'ring-status' | 'ring-change' }
  | { action: 'publish'; topic: string }
)

const PLAIN = {
  'GET connect': 'connect',
  'POST discover': 'discover',
  'POST broadcast': 'broadcast',
  'POST revoke': 'revoke',
  'GET ring': 'ring-status',
  'POST ring': 'ring-change',
} as const

export function parseHubRoute(method: string, path: string): HubRoute | null {
  const [empty, version, project = '', area, ...rest] = path.split('/')
  if (empty !== '' || version !== 'v1' || area !== 'hub' || !isProject(project)) return null
  if (rest.length === 3 && rest[0] === 'topics' && rest[2] === 'publish' && method === 'POST') {
    const topic = decode(rest[1]!)
    return isTopic(topic) ? { action: 'publish', project, topic } : null
  }
  const wish = `${method} ${rest.join('/')}`
  return Object.hasOwn(PLAIN, wish) ? { action: PLAIN[wish as keyof typeof PLAIN], project } : null
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
