// Alerts and recording rules in the words of Prometheus.
import { type Alert, type AlertGroup, expressionOf, runbookUrl } from './alert.ts'
import { ALERT_GROUPS } from './alerts/all.ts'
import { recordingGroups } from './slo.ts'
import { toYaml, type Yaml } from './yaml.ts'

export const GENERATED = 'Generated from monitoring/src by "node monitoring/generate.ts". Change it there.'
const INTERVAL = '30s'

export const alertRule = (alert: Alert): Yaml => ({
  alert: alert.name,
  expr: expressionOf(alert),
  for: alert.for,
  labels: { severity: alert.severity, ...(alert.sli === undefined ? {} : { sli: alert.sli }) },
  annotations: {
    summary: alert.summary,
    description: alert.description,
    runbook_url: runbookUrl(alert.name),
  },
})

/** `interval` and `scale` are for a test that cannot wait for minutes. */
export const alertsFile = (groups: AlertGroup[] = ALERT_GROUPS, interval = INTERVAL): string =>
  toYaml(
    { groups: groups.map(({ name, alerts }) => ({ name, interval, rules: alerts.map(alertRule) })) },
    `${GENERATED}\nOnly where Grafana does not alert itself (monitoring/compose.yml): never load both.`,
  )

export const recordingFile = (interval?: string): string =>
  toYaml(
    {
      groups: recordingGroups().map((group) => ({
        name: group.name,
        interval: interval ?? group.interval,
        rules: group.rules.map(({ record, expr, labels }) => ({ record, expr, labels })),
      })),
    },
    GENERATED,
  )
