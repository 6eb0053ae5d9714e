import { afterAll, beforeAll, expect, test } from 'vitest'
import { CANARY_TOPIC } from '#server/app/canary.ts'
import { type Product, startProduct } from '#server/testing/product.fixture.ts'

let product: Product
beforeAll(async () => {
  product = await startProduct('postgres', { canary: true })
})
afterAll(() => product.stop())

const figure = async (name: string) => {
  const text = await (await fetch(`${product.base}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

const LOST = 'canary_failures_total\\{stage="receive"\\}'

test('[MON-9] the canary goes the whole way, and nobody ever sees it', async () => {
  const ada = await product.person('ada')
  const stream = await ada.stream()
  const before = await ada.query('activities.unreadCounts')
  await product.services.canary!.run()
  await product.services.canary!.run()
  expect(await figure('canary_latency_seconds_count')).toBe(2)
  expect(await figure(LOST)).toBe(0)
  expect(Date.now() / 1_000 - (await figure('canary_last_success_timestamp_seconds'))).toBeLessThan(60)

  const { rows } = await product.pool.query('select count(*)::int as stored from activities where verb = $1', [
    'pinged',
  ])
  expect(rows).toEqual([{ stored: 2 }])
  const { rows: canaries } = await product.pool.query('select id from activities where verb = $1', ['pinged'])
  expect(JSON.stringify(await ada.query('topics.list'))).not.toContain('canary')
  expect((await ada.query('activities.getFeed', {})).items).toEqual([])
  expect((await ada.query('search.query', { q: 'canary' })).hits).toEqual([])
  expect(await ada.query('activities.unreadCounts')).toEqual(before)
  expect((await ada.refusal('topics.get', { topic: CANARY_TOPIC }, 'query')).status).toBe(400)
  expect((await ada.refusal('activities.get', { id: Number(canaries[0].id) }, 'query')).status).toBe(404)

  // Something that she does see comes after both, so neither is still on its way to her.
  const own = await ada.call('activities.publish', { topic: 'user/ada', verb: 'posted', summary: 'hello' })
  await stream.until((event) => event.activityId === own.id)
  expect(stream.data('activity').map(({ activity }) => activity.id)).toEqual([own.id])
  await stream.close()
})

test('[MON-9] only the newest are kept', async () => {
  const { rows } = await product.pool.query('select id from topics where name = $1', [CANARY_TOPIC])
  await product.pool.query('update topic_heads set no = no + 500 where topic_id = $1', [rows[0].id])
  await product.services.canary!.forget()
  const { rows: heads } = await product.pool.query(
    'select no - floor_no as kept from topic_heads where topic_id = $1',
    [rows[0].id],
  )
  expect(Number(heads[0].kept)).toBe(100)
})
