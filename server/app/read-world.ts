// The world around a person's read state: the topics that they follow, as far as those go and without what was deleted,
// what they wrote, and where they were mentioned. From memory while the tail keeps it true; from Postgres when the
// process has just started, is behind, or Redis is away.
import type { FeedFacts, PersonFacts } from './feed-facts.ts'
import type { FollowMemory } from './follow-memory.ts'
import type { FollowedTopic, TopicStore } from './ports.ts'

export type CountedTopic = FollowedTopic & { deleted: readonly number[]; deletedSeq: number }
export type World = { topics: CountedTopic[]; person: PersonFacts }

type Deps = {
  topics: Pick<TopicStore, 'followed'>
  follows: Pick<FollowMemory, 'of'>
  facts: FeedFacts
  /** Whether this process hears of everything as it happens. */
  isCurrent: () => boolean
}

export type ReadWorld = ReturnType<typeof createReadWorld>

export function createReadWorld({ topics, follows, facts, isCurrent }: Deps) {
  async function fromMemory(viewer: string): Promise<World | null> {
    if (!isCurrent() || !facts.topics.isReady) return null
    const [followed, person] = await Promise.all([follows.of(viewer), facts.of(viewer, [])])
    const found: CountedTopic[] = []
    for (const { id, muted, follow } of followed) {
      const fact = facts.topics.get(id)
      if (!fact) return null
      found.push({ id, muted, follow, ...fact })
    }
    return isCurrent() ? { topics: found, person } : null
  }

  /** Not older than the question, whatever this process has heard of. */
  async function stored(viewer: string): Promise<World> {
    const { topics: followed } = await topics.followed(viewer)
    const [person, found] = await Promise.all([facts.of(viewer, followed), facts.ofTopics(followed)])
    const counted = followed.map((topic) => {
      const fact = found.get(topic.id)
      return { ...topic, deleted: fact?.deleted ?? [], deletedSeq: fact?.deletedSeq ?? 0 }
    })
    return { topics: counted, person }
  }

  return {
    stored,
    now: async (viewer: string): Promise<World> => (await fromMemory(viewer)) ?? stored(viewer),
  }
}
