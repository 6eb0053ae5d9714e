// The figures of all partitions in the text that Prometheus reads.
import { type Counter, type Figures, PROCESSING_BUCKETS } from './figures.ts'

export type PartitionFigures = {
  partition: number
  slots: number
  active: number
  depth: number
  dead: number
  oldestAgeMs: number
  figures: Figures
  rows: { read: number; written: number }
}
export type ProjectFigures = { project: string; imbalance: number; partitions: readonly PartitionFigures[] }

const GAUGES: Record<string, { help: string; of: (one: PartitionFigures) => number }> = {
  jobs_queue_depth: { help: 'Jobs that wait.', of: ({ depth }) => depth },
  jobs_active: { help: 'Jobs that are being done.', of: ({ active }) => active },
  jobs_slots: { help: 'Jobs that may be done at once.', of: ({ slots }) => slots },
  jobs_dead_letters: { help: 'Dead letters that are kept.', of: ({ dead }) => dead },
  jobs_oldest_age_seconds: { help: 'Age of the oldest job.', of: ({ oldestAgeMs }) => oldestAgeMs / 1_000 },
}
const COUNTED: [string, Counter, string][] = [
  ['jobs_enqueued_total', 'enqueued', 'Jobs that were taken in.'],
  ['jobs_duplicates_total', 'duplicates', 'Jobs that were known already.'],
  ['jobs_done_total', 'done', 'Jobs that were done.'],
  ['jobs_failed_total', 'failed', 'Attempts that failed.'],
  ['jobs_retries_total', 'retries', 'Attempts that will be made again.'],
  ['jobs_dead_total', 'dead', 'Jobs that became dead letters.'],
  ['jobs_dead_dropped_total', 'deadDropped', 'Dead letters that had to go for want of room.'],
  ['jobs_rejected_total', 'rejected', 'Jobs refused because the partition was full.'],
  ['jobs_throttled_total', 'throttled', 'Jobs put off because the partition was nearly full.'],
  ['jobs_shed_total', 'shed', 'Jobs dropped under pressure, as their type allows.'],
  ['jobs_spilled_total', 'spilled', 'Jobs that wait in the queue for room.'],
  ['jobs_drained_total', 'drained', 'Jobs removed by an operator.'],
  ['jobs_leases_lost_total', 'leasesLost', 'Attempts whose end nobody told.'],
]

export function jobsMetricsText(projects: readonly ProjectFigures[]): string {
  const all = projects.flatMap(({ project, partitions }) =>
    partitions.map((one) => ({ ...one, labels: `project="${project}",partition="${one.partition}"` })),
  )
  const lines: string[] = []
  const head = (name: string, kind: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`)
  for (const [name, { help, of }] of Object.entries(GAUGES)) {
    head(name, 'gauge', help)
    for (const one of all) lines.push(`${name}{${one.labels}} ${of(one)}`)
  }
  for (const [name, counter, help] of COUNTED) {
    head(name, 'counter', help)
    for (const { labels, figures } of all) lines.push(`${name}{${labels}} ${figures.counters[counter]}`)
  }
  for (const kind of ['read', 'written'] as const) {
    head(`jobs_storage_rows_${kind}_total`, 'counter', `Rows of storage ${kind}, as they are billed.`)
    for (const { labels, rows } of all) lines.push(`jobs_storage_rows_${kind}_total{${labels}} ${rows[kind]}`)
  }
  head('jobs_processing_seconds', 'histogram', 'How long one attempt took.')
  for (const { labels, figures } of all) {
    const { buckets, sum, count } = figures.processing
    for (const [at, bound] of PROCESSING_BUCKETS.entries())
      lines.push(`jobs_processing_seconds_bucket{${labels},le="${bound}"} ${buckets[at]}`)
    lines.push(`jobs_processing_seconds_bucket{${labels},le="+Inf"} ${count}`)
    lines.push(`jobs_processing_seconds_sum{${labels}} ${sum}`, `jobs_processing_seconds_count{${labels}} ${count}`)
  }
  head('jobs_partition_imbalance_ratio', 'gauge', 'The fullest partition against the mean of the others.')
  for (const { project, imbalance } of projects)
    lines.push(`jobs_partition_imbalance_ratio{project="${project}"} ${imbalance}`)
  return `${lines.join('\n')}\n`
}
