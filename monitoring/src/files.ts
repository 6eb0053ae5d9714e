// Every generated file: its path below monitoring/ and its text.
import { ALERT_GROUPS } from './alerts/all.ts'
import { alertmanagerConfig, prometheusConfig } from './configs.ts'
import { grafanaAlerts, grafanaContacts, grafanaDatasource, grafanaFolders } from './grafana/alerting.ts'
import { BOARDS } from './grafana/boards.ts'
import { toDashboard } from './grafana/panel.ts'
import { groupTests } from './rule-tests.ts'
import { alertsFile, GENERATED, recordingFile } from './rules.ts'

export function generatedFiles(): Map<string, string> {
  const productUrl = 'http://localhost:3000'
  const local = {
    productUrl,
    server: ['localhost:3000'],
    edge: ['localhost:8787'],
    redis: ['localhost:9121'],
    alertmanager: ['localhost:9093'],
  }
  const beside = {
    ...{ productUrl, server: ['host.docker.internal:3000'], edge: ['host.docker.internal:8787'] },
    ...{
      redis: ['redis-exporter:9121'],
      alertmanager: ['alertmanager:9093'],
      tokenFile: '/etc/prometheus/metrics-token',
    },
  }
  return new Map([
    ['prometheus/alerts.yml', alertsFile()],
    ['prometheus/recording.yml', recordingFile()],
    ...ALERT_GROUPS.map((group): [string, string] => [
      `prometheus/tests/${group.name}.yml`,
      groupTests(
        group,
        '../alerts.yml',
        `${GENERATED}\nRun: promtool test rules monitoring/prometheus/tests/${group.name}.yml`,
      ),
    ]),
    ['prometheus/prometheus.yml', prometheusConfig({ ...local, alerts: true })],
    ['prometheus/prometheus-compose.yml', prometheusConfig({ ...beside, alerts: false })],
    ['alertmanager/alertmanager.yml', alertmanagerConfig()],
    ...BOARDS.map((board): [string, string] => [
      `grafana/dashboards/${board.uid}.json`,
      `${JSON.stringify(toDashboard(board), null, 2)}\n`,
    ]),
    ['grafana/provisioning/datasources/prometheus.yml', grafanaDatasource()],
    ['grafana/provisioning/dashboards/signal-feed.yml', grafanaFolders()],
    ['grafana/provisioning/alerting/rules.yml', grafanaAlerts()],
    ['grafana/provisioning/alerting/contacts.yml', grafanaContacts()],
  ])
}
