// GitHub's webhooks over real HTTP, on both databases: signed deliveries, repeats, and everything that must be refused.
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eachDatabase } from '#scripts/testing/databases.ts'
import { GITHUB_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'
import { errorOf } from './app.fixture.ts'

type Example = { action?: string; ref?: string }
type Made = { key: { id: number; prefix: string }; secret: string }

const catalogue: { name: string; examples: Example[] }[] = createRequire(import.meta.url)('@octokit/webhooks-examples')
const examplesOf = (event: string) => catalogue.find(({ name }) => name === event)!.examples
const MAPPED = ['push', 'pull_request', 'issues', 'issue_comment', 'release', 'workflow_run']

const signed = (secret: string, body: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

eachDatabase('github webhooks', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  let made: Made
  let deliveries = 0

  beforeAll(async () => {
    product = await startProduct(kind)
    ada = await product.person('ada')
    ben = await product.person('codertocat')
    await ada.call('topics.create', { name: 'project/hello', visibility: 'private' })
    await ada.call('topics.members.set', { topic: 'project/hello', handle: 'codertocat', role: 'member' })
    await ben.call('topics.follow', { topic: 'project/hello' })
  })
  beforeEach(async () => {
    made = await ada.call('apiKeys.create', { kind: 'github', name: 'GitHub', topics: ['project/hello'] })
  })
  afterAll(() => product.stop())

  const count = async () => Number((await product.pool.query('select count(*) from activities')).rows[0].count)
  const deliver = (
    event: string,
    payload: unknown,
    { headers = {}, source = made.key.prefix }: { headers?: Record<string, string>; source?: string } = {},
  ) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return fetch(`${product.base}/api/ingest/github/${source}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': `delivery-${++deliveries}`,
        'x-hub-signature-256': signed(made.secret, body),
        ...headers,
      },
      body,
    })
  }
  const refusal = async (answer: Response) => {
    const { code, field } = await errorOf(answer)
    return [answer.status, code, field]
  }

  it('[FEED-11] a signed delivery is stored under the name of who did it and reaches followers live', async () => {
    const stream = await ben.stream()
    await stream.until(({ name }) => name === 'beat')
    const opened = examplesOf('issues').find(({ action }) => action === 'opened') as { issue: object }
    const answer = await deliver('issues', { ...opened, issue: { ...opened.issue, body: 'Thanks @codertocat' } })
    expect(answer.status).toBe(201)
    const { activities } = await answer.json()
    const { data } = await stream.until(({ activityId }) => activityId === activities[0].id)
    await stream.close()
    expect(data.activity).toMatchObject({
      actor: { kind: 'tool', name: 'Codertocat' },
      verb: 'opened',
      object: { type: 'issue', title: '#1 Spelling error in the README file' },
      source: 'GitHub',
      summary: 'Thanks @codertocat',
      // A name on GitHub is not the name of somebody here.
      mentions: [],
    })
    const keys = await ada.query('apiKeys.list')
    expect(keys.find((key: { id: number }) => key.id === made.key.id).lastUsedAt).not.toBeNull()
  })

  it('[FEED-11] every published example of the mapped events is stored', async () => {
    const before = await count()
    const all = MAPPED.flatMap((event) => examplesOf(event).map((example) => ({ event, example })))
    for (const { event, example } of all) expect((await deliver(event, example)).status).toBe(201)
    expect((await count()) - before).toBe(all.length)
  })

  it('[FEED-11] a delivery that comes again is stored once, also at the same moment, and answered alike', async () => {
    const before = await count()
    const headers = { 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' }
    const push = examplesOf('push')[0]
    const answers = await Promise.all([1, 2, 3].map(() => deliver('push', push, { headers })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    const ids = await Promise.all(answers.map(async (one) => (await one.json()).activities[0].id))
    expect(new Set(ids).size).toBe(1)
    expect(await count()).toBe(before + 1)
    expect(await refusal(await deliver('push', examplesOf('push')[4], { headers }))).toEqual([
      422,
      'KEY_REUSED',
      'X-GitHub-Delivery',
    ])
  })

  it('[FEED-11] a form with the payload in it is read too', async () => {
    const body = new URLSearchParams({ payload: JSON.stringify(examplesOf('release')[0]) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await deliver('release', body, { headers })).status).toBe(201)
  })

  it('[FEED-11] a ping is answered, events without words are left out, and neither stores anything', async () => {
    const before = await count()
    expect((await deliver('ping', examplesOf('ping')[0])).status).toBe(200)
    for (const { name, examples } of catalogue.filter(({ name }) => ![...MAPPED, 'ping'].includes(name))) {
      const answer = await deliver(name, examples[0])
      expect([answer.status, await answer.json()]).toEqual([202, { activities: [], ignored: name }])
    }
    expect(await count()).toBe(before)
  })

  it('[FEED-11] wrong signatures, sources, headers and bodies are refused by name, and nothing is stored', async () => {
    const before = await count()
    const push = examplesOf('push')[0]
    const body = JSON.stringify(push)
    const bad = (signature: string) => deliver('push', push, { headers: { 'x-hub-signature-256': signature } })
    const wrong = [401, 'BAD_KEY', 'X-Hub-Signature-256']
    expect(await refusal(await bad(signed('other', body)))).toEqual(wrong)
    expect(await refusal(await bad(signed(made.secret, `${body} `)))).toEqual(wrong)
    expect(await refusal(await bad('sha256='))).toEqual(wrong)
    expect(await refusal(await bad(''))).toEqual(wrong)
    const unknown = [404, 'NOT_FOUND', undefined]
    expect(await refusal(await deliver('push', push, { source: 'f'.repeat(32) }))).toEqual(unknown)
    expect(await refusal(await deliver('push', push, { source: 'hello' }))).toEqual(unknown)
    const other: Made = await ada.call('apiKeys.create', { kind: 'github', name: 'Other', topics: ['project/hello'] })
    expect(await refusal(await deliver('push', push, { source: other.key.prefix }))).toEqual(wrong)
    expect(await refusal(await deliver('push', '{"ref":'))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await deliver('push', ''))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await deliver('push', { ...push, repository: 7 }))).toEqual([
      400,
      'INVALID_INPUT',
      'repository',
    ])
    const without = (name: string) => deliver('push', push, { headers: { [name]: '' } })
    expect(await refusal(await without('x-github-event'))).toEqual([400, 'INVALID_INPUT', 'X-GitHub-Event'])
    expect(await refusal(await without('x-github-delivery'))).toEqual([400, 'INVALID_INPUT', 'X-GitHub-Delivery'])
    expect(await count()).toBe(before)
  })

  it('[FEED-11] more than GitHub ever sends is refused before it is read', async () => {
    const before = await count()
    const body = ' '.repeat(GITHUB_BODY_MAX_BYTES + 1)
    expect(await refusal(await deliver('push', body))).toEqual([413, 'TOO_LARGE', 'body'])
    expect(await count()).toBe(before)
  })

  it('[FEED-11] a source that was revoked is unknown; one whose owner lost the right is refused', async () => {
    const push = examplesOf('push')[0]
    await ben.call('topics.create', { name: 'project/lent' })
    await ben.call('topics.members.set', { topic: 'project/lent', handle: 'ada', role: 'member' })
    made = await ada.call('apiKeys.create', { kind: 'github', name: 'Lent', topics: ['project/lent'] })
    expect((await deliver('push', push)).status).toBe(201)
    await ben.call('topics.update', { topic: 'project/lent', posting: 'owners' })
    expect(await refusal(await deliver('push', push))).toEqual([403, 'NOT_ALLOWED', 'topic'])
    await ada.call('apiKeys.revoke', { id: made.key.id })
    expect((await deliver('push', push)).status).toBe(404)
  })
})
