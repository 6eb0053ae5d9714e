// Changes reach open connections by messages, and a message can be lost. Now and then, and whenever the messages were
// interrupted, what the connections go by is compared with the truth.
import type { SessionStore } from '#server/app/log-ports.ts'
import type { TopicStore } from '#server/app/ports.ts'
import type { Hub } from './hub.ts'
import type { KnownSessions } from './known-sessions.ts'

type Deps = {
  hub: Hub
  knownSessions: KnownSessions
  topics: Pick<TopicStore, 'followsVersions'>
  sessions: SessionStore
}

export async function auditConnections({ hub, knownSessions, topics, sessions }: Deps): Promise<void> {
  if (hub.size === 0) return
  const known = new Map(hub.versions())
  const sessionIds = new Set(Array.from(hub.connections(), ({ sessionId }) => sessionId))
  const ended = await sessions.ended([...sessionIds])
  hub.endSessions(ended)
  for (const sessionId of ended) knownSessions.end(sessionId)
  knownSessions.confirm([...sessionIds].filter((sessionId) => !ended.has(sessionId)))
  const current = await topics.followsVersions([...known.keys()])
  for (const [userId, version] of known) if (current.get(userId) !== version) void hub.refreshFollows(userId)
}
