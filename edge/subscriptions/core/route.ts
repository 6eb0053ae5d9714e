// What a request to the subscription worker is about: `/v1/<project>/…`, apart from `stream`, which is the other Worker's.
import { isProject, isSessionStream, isStreamId, objectName } from '../../streams/core/route.ts'

/** `assign` names all that the session listens to; `tell` hands it something of its own. */
type SessionAction = 'get-session' | 'touch-session' | 'delete-session' | 'assign-session' | 'tell-session'

export type SubscriptionRoute =
  | { action: 'subscribe' | 'unsubscribe'; project: string }
  | { action: 'publish'; project: string; streamId: string }
  | { action: SessionAction; project: string; sessionId: string }

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isSessionId = (text: string): boolean => SESSION_ID.test(text)
/** What may be listened to: any stream that is not somebody's session. */
export const isSourceId = (text: string): boolean => isStreamId(text) && !isSessionStream(text)
/** `#` is in no id, so a shard cannot be mistaken for another stream's object. */
export const subscriptionObjectName = (project: string, id: string, shard = 0): string =>
  shard === 0 ? objectName(project, id) : `${objectName(project, id)}#${shard}`
export const sessionStreamId = (sessionId: string): string => `session:${sessionId}`

export function parseSubscriptionRoute(method: string, path: string): SubscriptionRoute | null {
  const [empty, version, project = '', area, ...rest] = path.split('/')
  if (empty !== '' || version !== 'v1' || !isProject(project)) return null
  const wish = `${method} ${area}`
  if (wish === 'POST subscribe' && rest.length === 0) return { action: 'subscribe', project }
  if (wish === 'DELETE unsubscribe' && rest.length === 0) return { action: 'unsubscribe', project }
  if (wish === 'POST publish') {
    const streamId = decode(rest.join('/'))
    return streamId !== null && isSourceId(streamId) ? { action: 'publish', project, streamId } : null
  }
  const [sessionId = '', verb, ...more] = rest
  if (area !== 'session' || !isSessionId(sessionId) || more.length > 0) return null
  if (method === 'POST' && verb === 'touch') return { action: 'touch-session', project, sessionId }
  if (method === 'POST' && verb === 'tell') return { action: 'tell-session', project, sessionId }
  if (verb !== undefined) return null
  if (method === 'PUT') return { action: 'assign-session', project, sessionId }
  if (method === 'GET') return { action: 'get-session', project, sessionId }
  return method === 'DELETE' ? { action: 'delete-session', project, sessionId } : null
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
