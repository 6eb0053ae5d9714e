import { describe, expect, it } from 'vitest'
import type { OutboxEvent } from './log-ports.ts'
import type { ActivityStore, Publication, PublishOutcome } from './ports.ts'
import { createPublishActivity } from './publish-activity.ts'

/** A store that answers when it is told to, and keeps the batches it was given. */
function heldStore() {
  const batches: Publication[][] = []
  const answers: (() => void)[] = []
  const refused = new Set<string>()
  let id = 0
  const publishBatch: ActivityStore['publishBatch'] = async (batch) => {
    batches.push(batch)
    const { promise, resolve } = Promise.withResolvers<void>()
    answers.push(resolve)
    await promise
    return batch.map((publication) =>
      refused.has(publication.input.summary) ? { outcome: 'denied' } : toOutcome(publication, ++id),
    )
  }
  const unused = () => Promise.reject(new Error('not part of publishing'))
  const refuse = (summary: string) => refused.add(summary)
  return {
    batches,
    answers,
    refuse,
    store: {
      publishBatch,
      publishTogether: publishBatch,
      published: unused,
      get: unused,
      page: unused,
      places: unused,
      numbersBefore: unused,
    },
  }
}

function toOutcome({ topic, actor, source, input }: Publication, id: number): PublishOutcome {
  const { verb, summary, metadata, mentions } = input
  const place = { id, topic: { id: 1, name: topic, visibility: 'public' as const }, seq: id, no: id }
  const rest = { object: null, target: null, groupKey: null, publishedAt: '', occurredAt: null }
  return {
    outcome: 'fresh',
    activity: { ...place, actor, source, verb, summary, metadata, mentions, edited: null, ...rest },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const { batches, answers, refuse, store } = heldStore()
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
  const tool = { actor: { kind: 'tool', id: 'ci', name: 'CI' }, source: 'CI', scope: 'key:1' } as const
  return { publishing, publish, sizes, answers, appended, batches, tool, refuse }
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

describe('publishing together', () => {
  const inputs = (...summaries: string[]) =>
    summaries.map((summary) => ({ topic: 'project/one', verb: 'posted', summary, metadata: {} }))

  it('[FEED-10] a list has a transaction of its own, in its turn; one alone shares', async () => {
    const { publishing, publish, sizes, answers, appended, tool } = setUp()
    const all = Promise.all([
      publish('a'),
      publish('b'),
      publishing.publishTogether(tool, inputs('c', 'd', 'e')),
      publish('f'),
      publishing.publishTogether(tool, inputs('g')),
    ])
    for (const index of [0, 1, 2]) {
      await turn()
      await turn()
      answers[index]!()
    }
    const [, , together] = await all
    expect(sizes()).toEqual([2, 3, 2])
    expect(together.ok && together.stored.map(({ activity }) => activity?.seq)).toEqual([3, 4, 5])
    await publishing.settle()
    expect(appended).toEqual([
      [1, 2],
      [3, 4, 5],
      [6, 7],
    ])
  })

  it('[FEED-10] one refusal refuses all, and nothing reaches the log', async () => {
    const { publishing, answers, appended, tool, refuse } = setUp()
    refuse('d')
    const done = publishing.publishTogether(tool, inputs('c', 'd', 'e'))
    await turn()
    answers[0]!()
    expect(await done).toEqual({ ok: false, index: 1, outcome: 'denied' })
    await publishing.settle()
    expect(appended).toEqual([])
  })

  it('[FEED-9] with a key for the whole each row has its own, and the hash of all', async () => {
    const { publishing, answers, batches, tool } = setUp()
    const keysOf = async (key: string, ...summaries: string[]) => {
      const done = publishing.publishTogether(tool, inputs(...summaries), key)
      await turn()
      answers.at(-1)!()
      await done
      return batches.at(-1)!.map(({ idempotency }) => idempotency!)
    }
    const first = await keysOf('k', 'a', 'b')
    expect(first.map(({ key, scope }) => [scope, key])).toEqual([
      ['key:1', 'k'],
      ['key:1', 'k 1'],
    ])
    expect(await keysOf('k', 'a', 'b')).toEqual(first)
    expect((await keysOf('k', 'a', 'c'))[0]!.bodyHash).not.toBe(first[0]!.bodyHash)
    expect((await keysOf('k', 'a'))[0]!.bodyHash).not.toBe(first[0]!.bodyHash)
  })
})
