// Changes reach open connections by messages, and a message can be lost. Now and then, and whenever the messages were
// interrupted, what the connections go by is compared with the truth.
import type { SessionStore, TopicStore } from '#server/app/ports.ts'
import type { Hub } from './hub.ts'

export async function auditConnections(
  hub: Hub,
  { topics, sessions }: { topics: Pick<TopicStore, 'followsVersions'>; sessions: SessionStore },
): Promise<void> {
  if (hub.size === 0) return
  const known = new Map(hub.versions())
  const sessionIds = new Set(Array.from(hub.connections(), ({ sessionId }) => sessionId))
  hub.endSessions(await sessions.ended([...sessionIds]))
  const current = await topics.followsVersions([...known.keys()])
  for (const [userId, version] of known) if (current.get(userId) !== version) void hub.refreshFollows(userId)
}
