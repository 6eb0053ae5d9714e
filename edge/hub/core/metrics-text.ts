// The figures of shards in the words of Prometheus: each name once, with all shards of all projects below it.

export const COUNTERS = {
  signal_hub_connection_attempts_total: 'Connections asked for, by outcome',
  signal_hub_reconnections_total: 'Actors that took their address back from another connection',
  signal_hub_messages_received_total: 'Frames from actors',
  signal_hub_messages_sent_total: 'Frames to actors',
  signal_hub_registrations_total: 'Registrations, by outcome',
  signal_hub_deliveries_total: 'Messages at their target’s shard, by outcome',
  signal_hub_topic_events_total: 'Events published to topics, by outcome',
  signal_hub_broadcasts_total: 'Broadcasts begun',
  signal_hub_broadcast_failures_total: 'Recipients that a broadcast did not reach',
  signal_hub_errors_total: 'Errors told to actors, by code',
  signal_hub_moved_total: 'Actors and topics handed to another shard',
} as const
export type CounterName = keyof typeof COUNTERS

export type ShardMetrics = {
  shard: string
  counters: { name: string; labels: string; value: number }[]
  gauges: Record<keyof typeof GAUGES, number>
}

export const GAUGES = {
  signal_hub_actors: 'Registered actors',
  signal_hub_capacity_utilization: 'Share of the places for actors that is taken (0–1)',
  signal_hub_connections_active: 'Open sockets',
  signal_hub_queue_depth: 'Messages in inboxes and recipients of broadcasts that wait',
  signal_hub_storage_bytes: 'Size of the shard’s database',
} as const

const LATENCY = 'signal_hub_broadcast_latency_seconds'

export type ProjectMetrics = { project: string; shards: ShardMetrics[] }

/** Each name once, with all shards of all projects below it. */
export function hubMetricsText(projects: ProjectMetrics[]): string {
  const shards = projects.flatMap(({ project, shards }) =>
    shards.map((one) => ({ ...one, labels: `project="${project}",shard="${one.shard}"` })),
  )
  const lines: string[] = []
  const head = (name: string, help: string, type: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
  for (const [name, help] of Object.entries(GAUGES)) {
    head(name, help, 'gauge')
    for (const { labels, gauges } of shards) lines.push(`${name}{${labels}} ${gauges[name as keyof typeof GAUGES]}`)
  }
  const series = (wanted: (name: string) => boolean) => {
    for (const { labels, counters } of shards)
      for (const { name, labels: own, value } of counters)
        if (wanted(name)) lines.push(`${name}{${own === '' ? labels : `${labels},${own}`}} ${value}`)
  }
  for (const [name, help] of Object.entries(COUNTERS)) {
    head(name, help, 'counter')
    series((counted) => counted === name)
  }
  head(LATENCY, 'From the start of a broadcast to its last recipient', 'histogram')
  series((counted) => counted.startsWith(LATENCY))
  return `${lines.join('\n')}\n`
}
