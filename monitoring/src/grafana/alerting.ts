// The same alerts as Grafana's own, for where Grafana runs (compose.yml); Prometheus then keeps the recording rules only.
// Grafana asks for a number and a threshold: our expressions answer with a series when something is wrong, so that any
// answer at all, also one that is not a number, counts as one.
import { type Alert, expressionOf, runbookUrl } from '../alert.ts'
import { ALERT_GROUPS } from '../alerts/all.ts'
import { GENERATED } from '../rules.ts'
import { toYaml, type Yaml } from '../yaml.ts'
import { DATASOURCE } from './panel.ts'

/** Where the product is, for links to its runbooks; Grafana knows no external labels. */
const PRODUCT_URL = 'http://localhost:3000'
const EXPRESSIONS = { type: '__expr__', uid: '__expr__' }

/** `$` begins a variable of Grafana's provisioning; two of them are one. */
const escaped = (text: string): string => text.replaceAll('$', '$$$$')

/** In Grafana a value is `$values.A.Value`; with `$value` it would be a text. */
const inGrafana = (text: string): string => escaped(text.replaceAll('$value', '$values.A.Value'))

const step = (refId: string, datasource: { type: string; uid: string }, model: Record<string, Yaml>): Yaml => ({
  refId,
  relativeTimeRange: { from: 600, to: 0 },
  datasourceUid: datasource.uid,
  model: { refId, datasource, ...model },
})

const grafanaRule = (alert: Alert): Yaml => ({
  uid: `sf-${alert.name}`.slice(0, 40).toLowerCase(),
  title: alert.name,
  condition: 'C',
  data: [
    step('A', DATASOURCE, { expr: escaped(expressionOf(alert)), instant: true, range: false }),
    step('B', EXPRESSIONS, { type: 'math', expression: escaped('is_number($A) || is_nan($A) || is_inf($A)') }),
    step('C', EXPRESSIONS, {
      type: 'threshold',
      expression: 'B',
      conditions: [{ evaluator: { type: 'gt', params: [0] } }],
    }),
  ],
  for: alert.for,
  // No series is what silence looks like.
  noDataState: 'OK',
  execErrState: 'Error',
  labels: { severity: alert.severity, ...(alert.sli === undefined ? {} : { sli: escaped(alert.sli) }) },
  annotations: {
    summary: inGrafana(alert.summary),
    description: inGrafana(alert.description),
    runbook_url: runbookUrl(alert.name, PRODUCT_URL),
  },
  isPaused: false,
})

export const grafanaAlerts = (): string =>
  toYaml(
    {
      apiVersion: 1,
      groups: ALERT_GROUPS.map(({ name, alerts }) => ({
        orgId: 1,
        name,
        folder: 'Signal Feed',
        interval: '60s',
        rules: alerts.map(grafanaRule),
      })),
    },
    GENERATED,
  )

export const grafanaDatasource = (): string =>
  toYaml(
    {
      apiVersion: 1,
      datasources: [
        {
          name: 'Prometheus',
          type: DATASOURCE.type,
          uid: DATASOURCE.uid,
          access: 'proxy',
          url: 'http://prometheus:9090',
          isDefault: true,
          jsonData: { timeInterval: '15s' },
        },
      ],
    },
    GENERATED,
  )

export const grafanaFolders = (): string =>
  toYaml(
    {
      apiVersion: 1,
      providers: [
        {
          name: 'signal-feed',
          folder: 'Signal Feed',
          type: 'file',
          allowUiUpdates: false,
          options: { path: '/etc/grafana/dashboards' },
        },
      ],
    },
    GENERATED,
  )

/** To whom Grafana tells: Alertmanager, which groups, inhibits and knows the receivers (one place, not two). */
export const grafanaContacts = (): string =>
  toYaml(
    {
      apiVersion: 1,
      contactPoints: [
        {
          orgId: 1,
          name: 'alertmanager',
          receivers: [
            {
              uid: 'sf-alertmanager',
              type: 'prometheus-alertmanager',
              settings: { url: 'http://alertmanager:9093' },
            },
          ],
        },
      ],
      policies: [{ orgId: 1, receiver: 'alertmanager', group_by: ['alertname', 'sli'] }],
    },
    GENERATED,
  )
