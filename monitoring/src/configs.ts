// Configuration of Prometheus and Alertmanager: which targets, which rules, who is told.
import { GENERATED } from './rules.ts'
import { toYaml, type Yaml } from './yaml.ts'

export type Targets = {
  server: string[]
  edge: string[]
  redis: string[]
  alertmanager: string[]
  productUrl: string
  /** Alerts of Prometheus' own; false where Grafana alerts. */
  alerts: boolean
  /** Files with bearer tokens, where targets ask for them. */
  tokenFile?: string
  scrape?: string
  rules?: string[]
}

export const prometheusConfig = (targets: Targets): string => {
  const job = (name: string, addresses: string[], own = true): Yaml => ({
    job_name: name,
    ...(own && targets.tokenFile ? { authorization: { type: 'Bearer', credentials_file: targets.tokenFile } } : {}),
    static_configs: [{ targets: addresses }],
  })
  return toYaml(
    {
      global: {
        scrape_interval: targets.scrape ?? '15s',
        evaluation_interval: targets.scrape ?? '30s',
        external_labels: { product_url: targets.productUrl },
      },
      rule_files: targets.rules ?? ['recording.yml', ...(targets.alerts ? ['alerts.yml'] : [])],
      alerting: targets.alerts
        ? { alertmanagers: [{ static_configs: [{ targets: targets.alertmanager }] }] }
        : undefined,
      scrape_configs: [
        job('server', targets.server),
        ...(targets.edge.length > 0 ? [job('edge', targets.edge)] : []),
        ...(targets.redis.length > 0 ? [job('redis', targets.redis, false)] : []),
      ],
    },
    `${GENERATED}\nThirty days of promises need thirty days of data: --storage.tsdb.retention.time=35d.`,
  )
}

export type Telling = { groupWait: string; groupInterval: string; repeat: string; webhook: string }

export const USUAL: Telling = {
  groupWait: '30s',
  groupInterval: '5m',
  repeat: '4h',
  webhook: 'http://127.0.0.1:9099/alerts',
}

/** Pages by severity; a warning stays quiet while its critical one speaks; the watchdog goes to whoever waits for it. */
export const alertmanagerConfig = ({ groupWait, groupInterval, repeat, webhook }: Telling = USUAL): string =>
  `${toYaml(
    {
      route: {
        receiver: 'tickets',
        group_by: ['alertname', 'sli'],
        group_wait: groupWait,
        group_interval: groupInterval,
        repeat_interval: repeat,
        routes: [
          { matchers: ['alertname = "Watchdog"'], receiver: 'watchdog', repeat_interval: '5m' },
          { matchers: ['severity = "critical"'], receiver: 'pages', repeat_interval: '1h' },
        ],
      },
      inhibit_rules: [
        // What is burning fast need not be said to burn slowly, nor what is critical to be worth a look.
        {
          source_matchers: ['severity = "critical"', 'sli != ""'],
          target_matchers: ['severity = "warning"'],
          equal: ['sli'],
        },
        ...INHIBITED.map(([critical, warning]) => ({
          source_matchers: [`alertname = "${critical}"`],
          target_matchers: [`alertname = "${warning}"`],
        })),
        // A target that is down explains what it no longer says.
        {
          source_matchers: ['alertname = "TargetDown"', 'job = "server"'],
          target_matchers: ['alertname = "MetricsAbsent"'],
        },
      ],
      receivers: ['pages', 'tickets', 'watchdog'].map((name) => ({
        name,
        webhook_configs: [{ url: webhook, send_resolved: true }],
      })),
    },
    GENERATED,
  )}${EXAMPLES}`

const INHIBITED = [
  ['RedisOutOfMemory', 'RedisStreamsMemoryHigh'],
  ['HubBroadcastSlowCritical', 'HubBroadcastSlow'],
  ['JobQueueDepthCritical', 'JobQueueDepthHigh'],
  ['JobLatencyCritical', 'JobLatencyHigh'],
  ['JobDeadLetterRateCritical', 'JobDeadLetterRateHigh'],
  ['JobRetryRateCritical', 'JobRetryRateHigh'],
  ['JobPartitionImbalanceCritical', 'JobPartitionImbalance'],
] as const

const EXAMPLES = `# Other receivers, by example: put one in the place of a webhook_configs above.
#
# - name: pages
#   pagerduty_configs:
#     - routing_key_file: /etc/alertmanager/pagerduty-key
#       severity: '{{ .CommonLabels.severity }}'
#       description: '{{ .CommonAnnotations.summary }}'
#       links: [{ href: '{{ .CommonAnnotations.runbook_url }}', text: runbook }]
# - name: pages
#   opsgenie_configs:
#     - api_key_file: /etc/alertmanager/opsgenie-key
#       priority: '{{ if eq .CommonLabels.severity "critical" }}P1{{ else }}P3{{ end }}'
#       message: '{{ .CommonAnnotations.summary }}'
# - name: tickets
#   email_configs:
#     - to: feed-operators@example.org
#       from: alertmanager@example.org
#       smarthost: mail.example.org:587
# - name: watchdog
#   webhook_configs:
#     - url: https://heartbeat.example.org/signal-feed
`
