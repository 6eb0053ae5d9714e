import { describe, expect, test } from 'vitest'
import { metricsText } from '../lib/metrics.ts'
import { type DataPoint, recordEvent } from './events.ts'

const dataset = () => {
  const points: DataPoint[] = []
  return { points, METRICS: { writeDataPoint: (point: DataPoint) => void points.push(point) } }
}

describe('[SUB-8] events', () => {
  test('each is there from the start, at zero', () => {
    const plain = ['fanout_queued', 'subscribe', 'unsubscribe', 'session_create', 'session_touch', 'session_expire']
    for (const event of plain)
      expect(metricsText()).toContain(`subscriptions_events_total{event="${event}",detail=""} 0`)
    for (const mode of ['inline', 'queued', 'deferred', 'circuit-open'])
      expect(metricsText()).toContain(`subscriptions_events_total{event="publish",detail="${mode}"} 0`)
  })

  test('a data point has the layout that queries know: stream, session, event and kind; count, latency, the event’s own', () => {
    const { points, ...env } = dataset()
    recordEvent(env, {
      ...{ type: 'fanout', streamId: 'topic:1', sessionId: 's', detail: 'inline' },
      ...{ count: 3, latencyMs: 12, values: [1] },
    })
    recordEvent(env, { type: 'session_touch', sessionId: 's' })
    expect(points).toEqual([
      { blobs: ['topic:1', 's', 'fanout', 'inline'], doubles: [3, 12, 1], indexes: ['fanout'] },
      { blobs: ['', 's', 'session_touch', ''], doubles: [1, 0], indexes: ['session'] },
    ])
  })

  test('Prometheus has them by event and kind, never by id; without Analytics Engine nothing is missing there', () => {
    recordEvent({}, { type: 'cleanup_batch', sessionId: 'somebody', detail: 'sweep', count: 4, latencyMs: 40 })
    const text = metricsText()
    expect(text).toContain('subscriptions_events_total{event="cleanup_batch",detail="sweep"} 1')
    expect(text).toContain('subscriptions_items_total{event="cleanup_batch",detail="sweep"} 4')
    expect(text).toContain('subscriptions_duration_seconds_bucket{event="cleanup_batch",le="0.05"} 1')
    expect(text).not.toContain('somebody')
  })
})
