// Who is there, asked of all shards at once. A shard that does not answer in time leaves the result partial, not empty.
import type { AnswerPayload } from '#shared/hub/protocol.ts'
import { liveShards, type RingView } from './core/ring.ts'
import { DISCOVER_TIMEOUT_MS } from './core/tuning.ts'
import type { HubEnv } from './env.ts'
import type { DiscoverWish } from './rpc.ts'
import { shardOf, warn, withinTime } from './shard.ts'

export async function discoverAcross(
  env: HubEnv,
  { project, view }: { project: string; view: RingView },
  wish: DiscoverWish,
): Promise<AnswerPayload<'hub:discovered'>> {
  const shards = liveShards(view)
  const answers = await Promise.all(
    shards.map(async (shard) => {
      try {
        const stub = shardOf(env, project, shard)
        return await withinTime(stub.discover({ project, shard, view }, wish), DISCOVER_TIMEOUT_MS)
      } catch (error) {
        warn('a shard was not asked for its actors', { shard, error: String(error) })
        return null
      }
    }),
  )
  const heard = answers.filter((answer) => answer !== null)
  // While actors move, two shards may name the same one.
  const known = new Map(heard.flatMap(({ actors }) => actors).map((actor) => [actor.actorAddress, actor]))
  const actors = [...known.values()].sort((a, b) => b.registeredAt - a.registeredAt).slice(0, wish.limit)
  return {
    actors,
    hasMore: known.size > actors.length || heard.some(({ hasMore }) => hasMore),
    queriedShards: shards.length,
    partial: heard.length < shards.length,
  }
}
