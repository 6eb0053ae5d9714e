// A small language for dashboards: what a panel asks, in which unit, with which limits. The shapes that Grafana wants are
// made by its own builders.
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as GraphBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

export type Query = { expr: string; legend?: string }
export type Limit = { from: number; colour: string }
export type Panel = {
  title: string
  /** What somebody who looks at it for the first time should know. */
  help?: string
  unit: string
  queries: Query[]
  /** From the first on; below it everything is as it should be. */
  limits?: Limit[]
  kind?: 'graph' | 'number'
  width?: number
}
export type Row = { title: string; panels: Panel[] }
export type Board = { uid: string; title: string; about: string; rows: Row[] }

export const DATASOURCE = { type: 'prometheus', uid: 'signal-feed-prometheus' }
const WIDTH = 24
const HEIGHT = 8

export function toDashboard({ uid, title, about, rows }: Board): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(about)
    .tags(['signal-feed'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
  let id = 0
  let y = 0
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title).id(++id).gridPos({ x: 0, y, w: WIDTH, h: 1 }))
    y += 1
    let x = 0
    for (const panel of row.panels) {
      const w = panel.width ?? (panel.kind === 'number' ? 6 : 12)
      const h = panel.kind === 'number' ? HEIGHT / 2 : HEIGHT
      if (x + w > WIDTH) {
        x = 0
        y += HEIGHT
      }
      builder.withPanel(toPanel(panel, ++id).gridPos({ x, y, w, h }))
      x += w
    }
    y += HEIGHT
  }
  return builder.build()
}

function toPanel(panel: Panel, id: number): GraphBuilder | StatBuilder {
  const steps = [
    { value: null, color: 'green' },
    ...(panel.limits ?? []).map(({ from, colour }) => ({ value: from, color: colour })),
  ]
  const thresholds = new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps)
  const builder = panel.kind === 'number' ? new StatBuilder() : new GraphBuilder()
  builder.id(id).title(panel.title).unit(panel.unit).thresholds(thresholds).datasource(DATASOURCE)
  if (panel.help !== undefined) builder.description(panel.help)
  for (const [at, { expr, legend }] of panel.queries.entries()) {
    const query = new DataqueryBuilder()
      .expr(expr)
      .refId(String.fromCharCode(65 + at))
      .datasource(DATASOURCE)
    builder.withTarget(legend === undefined ? query : query.legendFormat(legend))
  }
  return builder
}
