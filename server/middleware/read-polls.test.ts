import { expect, test } from 'vitest'
import { readPolls } from './read-polls.ts'

const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`
const since = 'epoch1.1-1'

test.each([
  [`/activities.getFeed?${input({ since })}`, 1, 1],
  [`/activities.getFeed?${input({ limit: 5 })}`, 1, 0],
  [`/activities.get?${input({ since })}`, 1, 0],
  [`/a/b/activities.getFeed?${input({ since })}`, 1, 1],
  [`/activities%2EgetFeed?${input({ since })}`, 1, 1],
  [`/activities.getFeed?batch=1&${input({ 0: { since } })}`, 1, 1],
  [`/activities.getFeed?batch=0&${input({ since })}`, 1, 1],
  [`/me.get,activities.getFeed?batch=1&${input({ 1: { since } })}`, 2, 1],
  [`/activities.getFeed,activities.getFeed?batch=1&${input({ 0: { since }, 1: { since } })}`, 2, 2],
  [`/activities.getFeed?input=${encodeURIComponent('{"since":')}`, 1, 0],
  ['/%E0%A4%A?input=null', 1, 0],
])('[LIVE-14] %s', (url, calls, polls) => {
  expect(readPolls(url)).toEqual({ calls, polls })
})
