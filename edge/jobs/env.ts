// What the jobs Worker is given by the platform. Settings are texts; they are read here and nowhere else.
import type { MetricsEnv } from '../lib/metrics-route.ts'
import type { AuthEnv } from '../lib/project-jwt-auth.ts'
import { type ConcurrencyManagerConfig, configSchema, DEFAULT_CONFIG } from './core/config.ts'
import type { PlacedJob } from './core/job.ts'
import type { ControlRpc, PartitionRpc } from './rpc.ts'

/** The partition is fixed when the jobs are accepted: whoever delivers the message, and however often, it is this one. */
export type JobsMessage = { project: string; partition: number; jobs: PlacedJob[] }

export type JobsEnv = AuthEnv &
  MetricsEnv & {
    JOB_PARTITION: DurableObjectNamespace<PartitionRpc>
    JOB_CONTROL: DurableObjectNamespace<ControlRpc>
    JOBS_QUEUE: Queue<JobsMessage>
    EDGE_CORS_ORIGINS?: string
    /** Where jobs are processed. */
    EGRESS_URL?: string
    /** JSON of a configuration with which projects begin. */
    JOBS_CONFIG?: string
  }

export const firstConfig = ({ JOBS_CONFIG }: JobsEnv): ConcurrencyManagerConfig =>
  JOBS_CONFIG ? configSchema.parse(JSON.parse(JOBS_CONFIG)) : DEFAULT_CONFIG

export const partitionOf = (env: JobsEnv, project: string, index: number) =>
  env.JOB_PARTITION.getByName(`${project}/${index}`)

export const controlOf = (env: JobsEnv, project: string) => env.JOB_CONTROL.getByName(`${project}/control`)
