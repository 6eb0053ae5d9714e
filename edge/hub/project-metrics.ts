// The figures of every shard of every project that has keys here.
import { projectsWithKeys } from '../lib/project-jwt-auth.ts'
import { hubMetricsText, type ShardMetrics } from './core/metrics-text.ts'
import { allShards } from './core/ring.ts'
import type { HubEnv } from './env.ts'
import { projectView } from './project-view.ts'
import { shardOf, warn, withinTime } from './shard.ts'

const LIMIT_MS = 5_000

export async function metricsOfAll(env: HubEnv): Promise<string> {
  const projects = await projectsWithKeys(env)
  return hubMetricsText(
    await Promise.all(projects.map(async (project) => ({ project, shards: await metricsOf(env, project) }))),
  )
}

async function metricsOf(env: HubEnv, project: string): Promise<ShardMetrics[]> {
  const view = await projectView(env, project)
  const answers = await Promise.all(
    allShards(view).map(async (shard) => {
      try {
        const stub = shardOf(env, project, shard)
        return await withinTime(stub.metrics({ project, shard, view }), LIMIT_MS)
      } catch (error) {
        warn('a shard gave no figures', { shard, error: String(error) })
        return null
      }
    }),
  )
  return answers.filter((answer) => answer !== null)
}
