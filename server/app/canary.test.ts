import { expect, test } from 'vitest'
import { fixedClock } from '#shared/clock.ts'
import { CANARY_TOPIC, createCanary } from './canary.ts'

type Published = { topic: string; object?: { id: string } | null | undefined }

function stage({ fails = false, timeoutMs = 5_000 } = {}) {
  const published: Published[] = []
  const said: string[] = []
  const canary = createCanary({
    store: {
      ensure: async () => 7,
      keepNewest: async (topicId, count) => void said.push(`keep ${count} of ${topicId}`),
    },
    publish: async (_, input) => {
      if (fails) throw new Error('no database')
      published.push(input as Published)
    },
    name: 'one',
    timeoutMs,
    clock: fixedClock(1_000),
    figures: {
      ran: () => said.push('ran'),
      came: (seconds, nowMs) => said.push(`came ${seconds >= 0} at ${nowMs}`),
      failed: (at) => said.push(`failed to ${at}`),
    },
    onFailure: () => () => undefined,
  })
  const entry = (topicId: number, id: string) =>
    canary.saw({ topicId, kind: 'activity', data: JSON.stringify({ activity: { object: { id } } }) })
  return { canary, published, said, entry }
}

test('[MON-9] it has come through when its own comes back from the log', async () => {
  const { canary, published, said, entry } = stage()
  const running = canary.run()
  await expect.poll(() => published.length).toBe(1)
  entry(7, 'another-1')
  entry(8, published[0]!.object!.id)
  expect(said).toEqual(['ran'])
  entry(7, published[0]!.object!.id)
  await running
  expect(said).toEqual(['ran', 'came true at 1000'])
})

test('[MON-9] where it ends is told: it was not published, or did not come back', async () => {
  const unpublished = stage({ fails: true })
  await unpublished.canary.run()
  expect(unpublished.said).toEqual(['ran', 'failed to publish'])
  const lost = stage({ timeoutMs: 1 })
  await lost.canary.run()
  expect(lost.said).toEqual(['ran', 'failed to receive'])
  // What comes too late says nothing any more.
  lost.entry(7, lost.published[0]!.object!.id)
  expect(lost.said).toHaveLength(2)
})

test('[MON-9] its topic has a name that nobody can type', async () => {
  const { topicName } = await import('#shared/topic.ts')
  expect(topicName.safeParse(CANARY_TOPIC).success).toBe(false)
})
