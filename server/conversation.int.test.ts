// Reactions and comments from the API to the stream, on both databases and a real Redis, over real HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase } from '#scripts/testing/databases.ts'
import type { Notices } from '#shared/notice.ts'
import type { Comment, TalkChange } from '#shared/talk.ts'
import { createRetention } from './db/retention.ts'
import { type Product, startProduct, type TestPerson } from './testing/product.fixture.ts'

const post = (topic: string, summary: string) => ({ topic, verb: 'posted', summary })

eachDatabase('conversation', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  let eve: TestPerson

  beforeAll(async () => {
    product = await startProduct(kind)
    ada = await product.person('ada')
    ben = await product.person('ben')
    eve = await product.person('eve')
    await ada.call('topics.create', { name: 'project/open', visibility: 'public' })
    await ada.call('topics.create', { name: 'project/brief', visibility: 'public' })
    await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    for (const topic of ['project/open', 'team/secret']) await ben.call('topics.follow', { topic })
    await eve.call('topics.follow', { topic: 'project/open' })
  })
  afterAll(() => product.stop())

  const newActivity = async (topic = 'project/open'): Promise<number> =>
    (await ada.call('activities.publish', post(topic, `something in ${topic}`))).id
  const talkOf = async (person: TestPerson, id: number) => (await person.query('activities.get', { id })).talk
  const comments = async (person: TestPerson, activity: number): Promise<Comment[]> =>
    (await person.query('activities.comments.list', { activity })).comments

  it('[FEED-3] one emoji per person: counts and own reaction are exact, also when everybody reacts at once', async () => {
    const id = await newActivity()
    await Promise.all([
      ...['👍', '🎉', '👍', '🚀', '👍'].map((emoji) => ben.call('activities.react', { id, emoji })),
      ...['👀', '👍'].map((emoji) => eve.call('activities.react', { id, emoji })),
      ada.call('activities.react', { id, emoji: '👩🏽‍🚀' }),
    ])
    await ben.call('activities.react', { id, emoji: '🎉' })
    const answer = await eve.call('activities.react', { id, emoji: '🎉' })
    expect(answer).toMatchObject({ comments: 0, own: { emoji: '🎉' } })
    const shown = [...answer.reactions].sort((a, b) => b.count - a.count)
    expect(shown).toEqual([
      { emoji: '🎉', count: 2 },
      { emoji: '👩🏽‍🚀', count: 1 },
    ])
    expect(await talkOf(eve, id)).toEqual(answer)
    expect((await talkOf(ben, id)).own.emoji).toBe('🎉')
    const gone = await eve.call('activities.react', { id, emoji: null })
    expect(gone.own).toEqual({ emoji: null, version: answer.version + 1 })
    // The same wish again changes nothing, and nobody is told.
    expect(await eve.call('activities.react', { id, emoji: null })).toEqual(gone)
    const { rows } = await product.pool.query(
      `select (change->>'version')::int as version from events where change->>'kind' = 'talk' and (change->>'activity')::bigint = $1 order by seq`,
      [id],
    )
    expect(rows.map((row) => row.version)).toEqual(rows.map((_, i) => i + 1))
    expect(gone.version).toBe(rows.length)
  })

  it('[FEED-3] whoever follows hears of it live, in the sequence of the topic, with absolute values', async () => {
    const id = await newActivity()
    const stream = await eve.stream()
    await stream.until(({ name }) => name === 'beat')
    const talk = await ben.call('activities.react', { id, emoji: '👍' })
    const said = await ben.call('activities.comments.add', { activity: id, text: 'Well done @ada and @nobody.' })
    const changed = (version: number) =>
      stream.until(({ data }) => {
        const change = data.change as TalkChange | undefined
        return change?.kind === 'talk' && change.activity === id && change.version === version
      })
    const first = await changed(talk.version)
    const second = await changed(said.talk.version)
    expect(second.data.seq).toBe((first.data.seq as number) + 1)
    expect(second.data.change).toMatchObject({
      ...{ kind: 'talk', activity: id, version: 2, comments: 1, reactions: [{ emoji: '👍', count: 1 }] },
      ...{ reacted: null, comment: said.comment },
    })
    expect(said.comment).toMatchObject({ text: 'Well done @ada and @nobody.', mentions: ['ada'], parent: null })
    const polled = await eve.query('activities.getFeed', { since: first.id })
    expect(polled.updates.map(({ change }: { change: TalkChange }) => change.version)).toEqual([2])
    await stream.close()
  })

  it('[FEED-3] threads are one level deep; edited and deleted by the author and by owners, by nobody else', async () => {
    const id = await newActivity()
    const add = async (person: TestPerson, text: string, parent?: number) =>
      (await person.call('activities.comments.add', { activity: id, text, parent })).comment as Comment
    const root = await add(ben, 'Is it ready?')
    const reply = await add(eve, 'Nearly.', root.id)
    const deeper = await add(ben, 'When?', reply.id)
    expect([reply.parent, deeper.parent]).toEqual([root.id, root.id])
    expect((await talkOf(ada, id)).comments).toBe(3)

    for (const [path, input] of [
      ['activities.comments.edit', { id: root.id, text: 'Not my words' }],
      ['activities.comments.remove', { id: root.id }],
    ] as const) {
      expect((await eve.refusal(path, input)).body.code).toBe('NOT_ALLOWED')
    }
    const own = await ben.call('activities.comments.edit', { id: root.id, text: 'Is it ready, @eve?' })
    expect(own.comment).toMatchObject({ text: 'Is it ready, @eve?', mentions: ['eve'], editedBy: null })
    const byOwner = await ada.call('activities.comments.edit', { id: reply.id, text: 'Nearly (Friday).' })
    expect(byOwner.comment.editedBy.handle).toBe('ada')

    await ada.call('activities.comments.remove', { id: deeper.id })
    const removed = await ben.call('activities.comments.remove', { id: root.id })
    expect(removed.talk.comments).toBe(1)
    expect(removed.comment).toMatchObject({ deleted: true, text: '', mentions: [] })
    // What is deleted stays only as long as it holds an answer.
    expect((await comments(eve, id)).map(({ text, deleted }) => [text, deleted])).toEqual([
      ['', true],
      ['Nearly (Friday).', false],
    ])
    expect((await ben.refusal('activities.comments.edit', { id: root.id, text: 'Again' })).status).toBe(404)
    expect((await ben.refusal('activities.comments.add', { activity: id, parent: root.id, text: 'x' })).status).toBe(
      404,
    )
    await eve.call('activities.comments.remove', { id: reply.id })
    expect(await comments(eve, id)).toEqual([])
    expect((await talkOf(eve, id)).comments).toBe(0)
    const { rows } = await product.pool.query('select count(*) from comments where activity_id = $1 and body <> $2', [
      ...[id, ''],
    ])
    expect(Number(rows[0].count)).toBe(0)
  })

  it('[FEED-3] a comment sent twice with one key is stored once, also at the same moment; another text is 422', async () => {
    const id = await newActivity()
    const body = { activity: id, text: 'Once.', idempotencyKey: 'comment-1' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => ben.call('activities.comments.add', body)))
    expect(new Set(answers.map(({ comment }) => comment.id)).size).toBe(1)
    expect((await talkOf(ben, id)).comments).toBe(1)
    const refused = await ben.refusal('activities.comments.add', { ...body, text: 'Twice.' })
    expect([refused.status, refused.body.field]).toEqual([422, 'idempotencyKey'])
  })

  it('[FEED-3] long conversations come by pages of whole threads', async () => {
    const id = await newActivity()
    const roots: number[] = []
    for (let n = 0; n < 23; n++)
      roots.push((await ben.call('activities.comments.add', { activity: id, text: `Thread ${n}` })).comment.id)
    await eve.call('activities.comments.add', { activity: id, text: 'Late answer', parent: roots[1] })
    const newest = await ben.query('activities.comments.list', { activity: id })
    expect(newest.comments.map((comment: Comment) => comment.id)).toEqual(roots.slice(3))
    const rest = await ben.query('activities.comments.list', { activity: id, cursor: newest.cursor })
    expect(rest.comments.map((comment: Comment) => comment.text)).toEqual([
      ...['Thread 0', 'Thread 1', 'Thread 2', 'Late answer'],
    ])
    expect(rest.cursor).toBeNull()
    expect(rest.talk.comments).toBe(24)
  })

  it('[FEED-2] [FEED-3] nothing of a conversation in a private topic reaches somebody outside, on any path', async () => {
    const id = await newActivity('team/secret')
    const stream = await eve.stream()
    await stream.until(({ name }) => name === 'beat')
    const { comment } = await ben.call('activities.comments.add', { activity: id, text: 'whisper @eve @ada' })
    expect(comment.mentions).toEqual(['ada'])
    await ada.call('activities.react', { id, emoji: '🤫' })
    const missing = await eve.refusal('activities.react', { id: 999_999_999, emoji: '👍' })
    for (const [path, input, how] of [
      ['activities.react', { id, emoji: '👍' }, 'call'],
      ['activities.comments.add', { activity: id, text: 'hello' }, 'call'],
      ['activities.comments.list', { activity: id }, 'query'],
    ] as const) {
      const refused = await eve.refusal(path, input, how)
      expect([path, refused.status, refused.message]).toEqual([path, 404, missing.message])
    }
    const noComment = await eve.refusal('activities.comments.remove', { id: 999_999_999 })
    for (const [path, input] of [
      ['activities.comments.edit', { id: comment.id, text: 'mine' }],
      ['activities.comments.remove', { id: comment.id }],
    ] as const) {
      const refused = await eve.refusal(path, input)
      expect([path, refused.status, refused.message]).toEqual([path, 404, noComment.message])
    }
    expect(await eve.query('activities.talks', { ids: [id] })).toEqual([])
    const marker = await newActivity()
    await stream.until(({ activityId }) => activityId === marker)
    expect(JSON.stringify(stream.events)).not.toMatch(/whisper|🤫/)
    // A comment of one topic is no place to answer in another one.
    const open = await newActivity()
    const crossed = await ben.refusal('activities.comments.add', { activity: open, parent: comment.id, text: 'x' })
    expect(crossed.status).toBe(404)
    await stream.close()
  })

  it('[FEED-5] [FEED-3] what was said about an activity leaves with it', async () => {
    const { id } = await ada.call('activities.publish', post('project/brief', 'Soon gone.'))
    const kept = (await ada.call('activities.publish', post('project/brief', 'Stays.'))).id
    for (const activity of [id, kept]) {
      await ben.call('activities.react', { id: activity, emoji: '👍' })
      const { comment } = await ben.call('activities.comments.add', { activity, text: 'Hello @eve' })
      await eve.call('activities.comments.add', { activity, text: 'Hello', parent: comment.id })
    }
    await product.pool.query(
      'update topic_heads h set floor_no = 1 from activities a where a.id = $1 and h.topic_id = a.topic_id',
      [id],
    )
    const retention = createRetention(product.pool)
    while ((await retention.removeBelowFloors(10)) > 0);
    for (const table of ['conversations', 'reactions', 'comments', 'notices']) {
      const { rows } = await product.pool.query(
        `select distinct activity_id from ${table} where activity_id = any($1)`,
        [[id, kept]],
      )
      expect([table, rows.map((row) => Number(row.activity_id))]).toEqual([table, [kept]])
    }
    expect((await ben.refusal('activities.react', { id, emoji: '🎉' })).status).toBe(404)
    expect((await comments(ben, kept)).length).toBe(2)
  })

  it('[FEED-16] the bell holds what concerns one, for the nearest reason, and agrees on every tab', async () => {
    const { id } = await ben.call('activities.publish', post('project/open', 'By Ben.'))
    const bell = async (person: TestPerson) => (await person.query('bell.list', {})) as Notices
    const before = { ben: (await bell(ben)).unread, eve: (await bell(eve)).unread }
    const stream = await ben.stream()
    await stream.until(({ name }) => name === 'beat')
    const first = (await eve.call('activities.comments.add', { activity: id, text: 'Nice.' })).comment as Comment
    const event = await stream.until(({ data }) => (data.change as TalkChange | undefined)?.comment?.id === first.id)
    const { id: benId } = await ben.query('me.get')
    expect((event.data.change as TalkChange).concerns).toEqual([benId])
    const reply = (await ada.call('activities.comments.add', { activity: id, parent: first.id, text: 'Yes, @ben.' }))
      .comment
    const list = await bell(ben)
    expect(list.notices.slice(0, 2).map(({ kind, comment, read }) => [kind, comment.id, read])).toEqual([
      ['mention', reply.id, false],
      ['comment', first.id, false],
    ])
    expect(list.notices[0]).toMatchObject({ about: 'By Ben.', topic: { name: 'project/open' } })
    expect(list.unread).toBe(before.ben + 2)
    const [top] = (await bell(eve)).notices
    expect([top?.kind, top?.comment.id]).toEqual(['reply', reply.id])
    expect((await bell(ada)).notices.some(({ comment }) => comment.id === reply.id)).toBe(false)

    // An edit that no longer names somebody takes its reason away; a deletion takes everything.
    await ada.call('activities.comments.edit', { id: reply.id, text: 'Yes.' })
    expect((await bell(ben)).notices.map(({ kind, comment }) => [kind, comment.id]).slice(0, 2)).toEqual([
      ['comment', reply.id],
      ['comment', first.id],
    ])
    await ada.call('activities.comments.remove', { id: reply.id })
    expect((await bell(ben)).unread).toBe(before.ben + 1)
    expect((await bell(eve)).unread).toBe(before.eve)

    const seen = await ben.call('bell.seen', { activity: id })
    expect(seen.unread).toBe(before.ben)
    expect((await stream.until(({ name }) => name === 'bell')).data).toEqual({ unread: before.ben })
    const all = await bell(eve)
    if (all.notices[0]) await eve.call('bell.seen', { upTo: all.notices[0].comment.id })
    expect((await bell(eve)).unread).toBe(0)
    expect((await ben.refusal('bell.seen', {})).body.code).toBe('INVALID_INPUT')
    await stream.close()
  })

  it('[FEED-16] [FEED-2] nobody outside a private topic is offered, mentioned or rung for', async () => {
    const id = await newActivity('team/secret')
    const offered = await ada.query('people.complete', { q: '', topic: 'team/secret' })
    expect(offered.map(({ handle }: { handle: string }) => handle)).toEqual(['ada', 'ben'])
    const before = await eve.query('bell.list', {})
    const { comment } = await ada.call('activities.comments.add', { activity: id, text: 'Ask @eve, @ben' })
    expect(await eve.query('bell.list', {})).toEqual(before)
    const rung = (await ben.query('bell.list', {})) as Notices
    expect(rung.notices[0]?.comment.id).toBe(comment.id)
    await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
    const left = (await ben.query('bell.list', {})) as Notices
    expect(JSON.stringify(left)).not.toContain('team/secret')
    expect(left.unread).toBeLessThan(rung.unread)
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    await ben.call('topics.follow', { topic: 'team/secret' })
  })

  it('[FEED-3] bad input is refused with the field named and nothing stored', async () => {
    const id = await newActivity()
    const cases: [string, object, string][] = [
      ['activities.react', { id, emoji: 'ok' }, 'emoji'],
      ['activities.react', { id, emoji: '👍👍' }, 'emoji'],
      ['activities.react', { id, emoji: '' }, 'emoji'],
      ['activities.react', { id: -1, emoji: '👍' }, 'id'],
      ['activities.comments.add', { activity: id, text: '  ' }, 'text'],
      ['activities.comments.add', { activity: id, text: 'x'.repeat(2_001) }, 'text'],
      ['activities.comments.add', { activity: id, text: 'a\u0000b' }, 'text'],
      ['activities.comments.add', { activity: id, text: 'x', parent: 1.5 }, 'parent'],
    ]
    for (const [path, input, field] of cases) {
      const { status, body } = await ben.refusal(path, input)
      expect([path, status, body.code, body.field]).toEqual([path, 400, 'INVALID_INPUT', field])
    }
    expect(await talkOf(ben, id)).toMatchObject({ version: 0, comments: 0, reactions: [] })
    expect(product.lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })
})
