import { expect, test } from 'vitest'
import { createRenderSampler } from './render-sampler.ts'

function stage(chosen: boolean) {
  const paints: (() => void)[] = []
  const later: (() => void)[] = []
  const sent: number[][] = []
  const page = { now: 0, visible: true }
  const sampler = createRenderSampler({
    chosen,
    isVisible: () => page.visible,
    afterPaint: (run) => paints.push(run),
    later: (run) => later.push(run),
    now: () => page.now,
    send: async (ms) => sent.push(ms),
  })
  const show = (arrivedAt: number, paintedAt: number) => {
    page.now = arrivedAt
    sampler.arrived()
    sampler.changed()
    page.now = paintedAt
    for (const run of paints.splice(0)) run()
  }
  const report = () => {
    for (const run of later.splice(0)) run()
  }
  return { page, sampler, show, report, sent, waiting: later }
}

test('[MON-1] from receipt to paint, together in one report a minute', () => {
  const { show, report, sent, waiting } = stage(true)
  show(0, 12)
  show(1_000, 1_030)
  expect(waiting).toHaveLength(1)
  report()
  expect(sent).toEqual([[12, 30]])
  show(90_000, 90_008)
  report()
  expect(sent).toEqual([[12, 30], [8]])
})

test('[MON-1] a change that brought nothing, a hidden tab and a page that was not drawn say nothing', () => {
  const { page, sampler, show, report, sent } = stage(true)
  sampler.changed()
  page.visible = false
  show(0, 500)
  report()
  expect(sent).toEqual([])
  const other = stage(false)
  other.show(0, 12)
  other.report()
  expect(other.sent).toEqual([])
})

test('[MON-1] no more than the server takes, and nothing beyond a minute', () => {
  const { show, report, sent } = stage(true)
  for (let i = 0; i < 30; i++) show(i * 1_000, i * 1_000 + (i === 0 ? 999_999 : 5))
  report()
  expect(sent[0]).toHaveLength(20)
  expect(sent[0]![0]).toBe(60_000)
})
