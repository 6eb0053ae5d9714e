import { expect, it } from 'vitest'
import { NO_TALK, type Talk } from '#shared/talk.ts'
import { createReactor, type ReactResult, withWish } from './reactor.ts'
import { settled } from './testing.ts'

const talkOf = (version: number, emoji: string | null, others: Talk['reactions'] = []): Talk => ({
  ...{ version, comments: 0, own: { emoji, version } },
  reactions: emoji === null ? others : [...others, { emoji, count: 1 }],
})

function setUp() {
  const asked: { id: number; emoji: string | null; answer: (result: ReactResult) => void }[] = []
  const refused: string[] = []
  const talks = new Map<number, Talk>()
  const reactor = createReactor({
    send: (id, emoji) => new Promise((answer) => asked.push({ id, emoji, answer })),
    onTalk: (id, talk) => talks.set(id, talk),
    onRefused: (message) => refused.push(message),
    save: () => {},
  })
  const shown = (id: number) => withWish(talks.get(id) ?? NO_TALK, reactor.wish(id))
  return { asked, refused, talks, reactor, shown }
}

it('[FEED-15] a reaction shows at once, over whatever others do meanwhile, and stays when it is answered', async () => {
  const { asked, talks, reactor, shown } = setUp()
  reactor.react(1, '👍')
  expect(shown(1)).toMatchObject({ reactions: [{ emoji: '👍', count: 1 }], own: { emoji: '👍' } })
  talks.set(1, talkOf(1, null, [{ emoji: '👍', count: 4 }]))
  expect(shown(1).reactions).toEqual([{ emoji: '👍', count: 5 }])
  asked[0]!.answer({ ok: true, talk: { ...talkOf(2, '👍'), reactions: [{ emoji: '👍', count: 5 }] } })
  await settled()
  expect(reactor.wish(1)).toBeUndefined()
  expect(shown(1).reactions).toEqual([{ emoji: '👍', count: 5 }])
})

it('[FEED-15] a refused reaction is taken back and said', async () => {
  const { asked, refused, talks, reactor, shown } = setUp()
  const before = talkOf(3, '🎉')
  talks.set(1, before)
  reactor.react(1, '👀')
  expect(shown(1).reactions).toEqual([{ emoji: '👀', count: 1 }])
  asked[0]!.answer({ ok: false, later: false, message: 'No.' })
  await settled()
  expect(shown(1)).toBe(before)
  expect(refused).toEqual(['No.'])
})

it('[FEED-15] only the last of several wishes is sent after the one that is under way', async () => {
  const { asked, reactor, shown } = setUp()
  for (const emoji of ['👍', '🎉', null, '🚀']) reactor.react(1, emoji)
  expect(asked).toHaveLength(1)
  asked[0]!.answer({ ok: true, talk: talkOf(1, '👍') })
  await settled()
  expect(asked.map(({ emoji }) => emoji)).toEqual(['👍', '🚀'])
  expect(shown(1)).toMatchObject({ own: { emoji: '🚀' }, reactions: [{ emoji: '🚀', count: 1 }] })
})

it('[FEED-15] without a network the wish is kept and sent once on return', async () => {
  const { asked, reactor, shown } = setUp()
  reactor.react(1, '👍')
  asked[0]!.answer({ ok: false, later: true, message: '' })
  await settled()
  expect(shown(1).own.emoji).toBe('👍')
  reactor.wake()
  reactor.wake()
  expect(asked).toHaveLength(2)
})
