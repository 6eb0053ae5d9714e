import { describe, expect, it } from 'vitest'
import type { ActivityStore, OutboxEvent, Publication, PublishOutcome } from './ports.ts'
import { createPublishActivity } from './publish-activity.ts'

/** A store that answers when it is told to, and keeps the batches it was given. */
function heldStore() {
  const batches: Publication[][] = []
  const answers: (() => void)[] = []
  let id = 0
  const publishBatch: ActivityStore['publishBatch'] = async (batch) => {
    batches.push(batch)
    const { promise, resolve } = Promise.withResolvers<void>()
    answers.push(resolve)
    await promise
    return batch.map((publication) => toOutcome(publication, ++id))
  }
  const unused = () => Promise.reject(new Error('not part of publishing'))
  return { batches, answers, store: { publishBatch, get: unused, page: unused, places: unused, numbersBefore: unused } }
}

function toOutcome({ topic, actor, source, input }: Publication, id: number): PublishOutcome {
  const { verb, summary, metadata, mentions } = input
  const place = { id, topic: { id: 1, name: topic, visibility: 'public' as const }, seq: id, no: id }
  const rest = { object: null, target: null, groupKey: null, publishedAt: '', occurredAt: null }
  return { outcome: 'fresh', activity: { ...place, actor, source, verb, summary, metadata, mentions, ...rest } }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const { batches, answers, store } = heldStore()
  const appended: number[][] = []
  const publishing = createPublishActivity({
    activities: store,
    outbox: { markLogged: async () => {} },
    relay: {
      append: async (events: OutboxEvent[]) => {
        appended.push(events.map(({ seq }) => seq))
        return []
      },
    },
    onRelayError: (error) => {
      throw error
    },
  })
  const actor = { kind: 'person', id: 'ada', handle: 'ada', name: 'Ada' } as const
  const publish = (summary: string) =>
    publishing.publish(
      { actor, source: 'web', scope: 'ada' },
      { topic: 'project/one', verb: 'posted', summary, metadata: {} },
    )
  const sizes = () => batches.map((batch) => batch.length)
  return { publishing, publish, sizes, answers, appended }
}

describe('coalescing of publishes', () => {
  it('[DLV-1] those of one turn share a transaction, those that come while it runs share the next, in order', async () => {
    const { publishing, publish, sizes, answers, appended } = setUp()
    const first = Promise.all(['a', 'b', 'c'].map(publish))
    await turn()
    const second = Promise.all(['d', 'e'].map(publish))
    await turn()
    expect(sizes()).toEqual([3])
    answers[0]!()
    expect((await first).map(({ summary, seq }) => [summary, seq])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
    await turn()
    expect(sizes()).toEqual([3, 2])
    answers[1]!()
    expect((await second).map(({ seq }) => seq)).toEqual([4, 5])
    await publishing.settle()
    expect(appended).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
  })

  it('[DLV-1] those who are answered together and publish again travel together again', async () => {
    const { publish, sizes, answers } = setUp()
    const callers = Promise.all(
      Array.from({ length: 8 }, async () => {
        await publish('once')
        await publish('again')
      }),
    )
    for (const index of [0, 1]) {
      await turn()
      await turn()
      answers[index]!()
    }
    await callers
    expect(sizes()).toEqual([8, 8])
  })

  it('[DLV-1] a transaction stays small however many wait', async () => {
    const { publish, sizes, answers } = setUp()
    const all = Promise.all(Array.from({ length: 450 }, (_, index) => publish(`${index}`)))
    for (const index of [0, 1, 2]) {
      await turn()
      await turn()
      answers[index]!()
    }
    await all
    expect(sizes()).toEqual([200, 200, 50])
  })
})
