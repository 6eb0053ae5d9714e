import { expect, test, vi } from 'vitest'
import { NEW_LADDER } from './ladder.ts'
import type { Live, LiveDeps } from './live.ts'
import { createLiveHandle } from './live-handle.ts'

function worldOf() {
  const ladder = { ...NEW_LADDER, rest: null }
  const live = {
    start: vi.fn(),
    stop: vi.fn(),
    online: vi.fn(),
    visible: vi.fn(),
    subscribe: () => () => undefined,
    state: () => ({ ladder, holes: 0, syncedAt: 5 }),
  }
  const loaded = Promise.withResolvers<{ createLive: () => Live }>()
  const handle = createLiveHandle(() => loaded.promise, { now: () => 7 } as LiveDeps)
  return { handle, live, arrive: () => loaded.resolve({ createLive: () => live as unknown as Live }) }
}

test('[FEED-14] before the machinery is there, a missing network is said all the same', () => {
  const { handle } = worldOf()
  const heard = vi.fn()
  handle.subscribe(heard)
  void handle.start(null, () => ({ online: false, hidden: false }))
  expect(handle.state().ladder.rest).toEqual({ why: 'offline', since: 7 })
  handle.online(true)
  expect(handle.state().ladder.rest).toEqual(NEW_LADDER.rest)
  expect(heard).toHaveBeenCalledTimes(2)
})

test('[LIVE-13] the machinery starts with the page and with how things are by then', async () => {
  const { handle, live, arrive } = worldOf()
  let hidden = false
  const started = handle.start(null, () => ({ online: true, hidden }))
  hidden = true
  arrive()
  await started
  expect(live.start).toHaveBeenCalledWith(null, { online: true, hidden: true })
  expect(handle.state().syncedAt).toBe(5)
  handle.online(false)
  expect(live.online).toHaveBeenCalledWith(false)
})

test('[LIVE-13] a page that was left meanwhile never goes live', async () => {
  const { handle, live, arrive } = worldOf()
  const started = handle.start(null, () => ({ online: true, hidden: false }))
  handle.stop()
  arrive()
  await started
  expect(live.start).not.toHaveBeenCalled()
})
