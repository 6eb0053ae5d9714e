import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyTalk, NO_TALK, newerTalk, type ReactionCount, recount, type Talk, type TalkChange } from './talk.ts'

const wish = fc.record({ person: fc.constantFrom('ada', 'ben', 'eve'), emoji: fc.constantFrom('👍', '🎉', '👀', null) })

/** Everything that is told of a conversation, and what each person sees after every change. */
function history(wishes: { person: string; emoji: string | null }[]) {
  const own = new Map<string, string | null>()
  const changes: TalkChange[] = []
  const snapshots: Talk[] = [NO_TALK]
  let reactions: ReactionCount[] = []
  for (const { person, emoji } of wishes) {
    if ((own.get(person) ?? null) === emoji) continue
    reactions = recount(reactions, own.get(person) ?? null, emoji)
    own.set(person, emoji)
    const version = changes.length + 1
    changes.push({
      ...{ kind: 'talk', activity: 1, version, reactions, comments: version % 3 },
      ...{ reacted: { person, emoji }, comment: null, concerns: [] },
    } as TalkChange)
    snapshots.push({ version, reactions, comments: version % 3, own: { emoji: own.get('ada') ?? null, version } })
  }
  return { changes, snapshots, own }
}

const seen = ({ own, ...counts }: Talk) => ({ ...counts, own: own.emoji })

it('[FEED-3] changes in any order, any of them twice, and a page of any age, end as the server has them', () => {
  fc.assert(
    fc.property(
      fc.array(wish, { maxLength: 20 }),
      fc.array(fc.nat()),
      fc.nat(),
      fc.nat(),
      (wishes, order, when, at) => {
        const { changes, snapshots } = history(wishes)
        const heard = [...order.map((n) => changes[n % Math.max(1, changes.length)]!).filter(Boolean)]
        for (const change of changes) if (!heard.includes(change)) heard.push(change)
        const page = snapshots[at % snapshots.length]!
        let talk = NO_TALK
        heard.forEach((change, index) => {
          if (index === when % heard.length) talk = newerTalk(talk, page)
          talk = applyTalk(talk, change, 'ada')
        })
        expect(seen(talk)).toEqual(seen(snapshots.at(-1)!))
      },
    ),
    { numRuns: 1_000 },
  )
})

it('[FEED-3] what brings nothing new gives the same object back', () => {
  const { changes, snapshots } = history([
    { person: 'ada', emoji: '👍' },
    { person: 'ben', emoji: '👍' },
  ])
  const talk = snapshots[2]!
  expect(applyTalk(talk, changes[0]!, 'ada')).toBe(talk)
  expect(newerTalk(talk, snapshots[1]!)).toBe(talk)
})

it('[FEED-3] counts are those of one emoji per person, in the order of first use', () => {
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 30 }), (wishes) => {
      const { snapshots, own } = history(wishes)
      const { reactions } = snapshots.at(-1)!
      for (const { emoji, count } of reactions)
        expect(count).toBe([...own.values()].filter((other) => other === emoji).length)
      const all = [...own.values()].filter((emoji) => emoji !== null)
      expect(reactions.reduce((sum, { count }) => sum + count, 0)).toBe(all.length)
    }),
  )
  expect(recount([{ emoji: '👍', count: 2 }], '👍', '🎉')).toEqual([
    { emoji: '👍', count: 1 },
    { emoji: '🎉', count: 1 },
  ])
})
