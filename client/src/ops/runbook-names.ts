// Which number leads to which runbook. The names are those of the alerts, one file each in monitoring/runbooks/.

export const RUNBOOKS = {
  relay: 'OutboxLagHigh',
  handled: 'PELConsumerStarvation',
  pending: 'PELCountHigh',
  growing: 'PELRapidGrowth',
  oldest: 'PELStaleMessages',
  lag: 'StreamLagHigh',
  dead: 'DLQGrowing',
  connections: 'SSEConnectionCountHigh',
  beat: 'LogBeatStale',
  memory: 'RedisStreamsMemoryHigh',
  outOfMemory: 'RedisOutOfMemory',
} as const

export type RunbookName = (typeof RUNBOOKS)[keyof typeof RUNBOOKS]
