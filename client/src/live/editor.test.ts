import { expect, it } from 'vitest'
import type { ActivityChange } from '#shared/activity-change.ts'
import { createEditor, type EditResult } from './editor.ts'
import { anItem, settled } from './testing.ts'

const item = anItem({ id: 7 })
const edited: ActivityChange = {
  ...{ kind: 'activity', activity: 7, no: 7, version: 1, gone: null },
  words: { summary: 'new', mentions: [], edited: { version: 1, at: '', by: null } },
}

function setUp() {
  const asked: ((result: EditResult) => void)[] = []
  const ask = () => new Promise<EditResult>((answer) => asked.push(answer))
  const told: string[] = []
  const editor = createEditor({
    edit: ask,
    remove: ask,
    onChange: (topic, change) => told.push(`${topic} ${change.activity} ${editor.words(7) ?? 'none'}`),
    onRefused: (message) => told.push(message),
  })
  return { editor, asked, told }
}

it('[FEED-15] new words show at once, and until the server has said the same', async () => {
  const { editor, asked, told } = setUp()
  void editor.edit(item, 'new')
  expect(editor.words(7)).toBe('new')
  asked[0]!({ ok: true, change: edited })
  await settled()
  expect([editor.words(7), told]).toEqual([undefined, ['1 7 new']])
})

it('[FEED-15] refused words are taken back and kept for another try', async () => {
  const { editor, asked, told } = setUp()
  void editor.edit(item, 'new')
  asked[0]!({ ok: false, message: 'no' })
  await settled()
  expect([editor.words(7), editor.draft(7), told]).toEqual([undefined, 'new', ['no']])
})

it('[FEED-15] what is deleted is out of sight at once, and back when refused', async () => {
  const { editor, asked } = setUp()
  void editor.remove(item)
  expect([...editor.hidden()]).toEqual([7])
  asked[0]!({ ok: false, message: 'no' })
  await settled()
  expect([...editor.hidden()]).toEqual([])
})

it('[FEED-15] the last wish counts, whichever answer comes first', async () => {
  const { editor, asked } = setUp()
  void editor.edit(item, 'one')
  void editor.edit(item, 'two')
  asked[0]!({ ok: true, change: edited })
  await settled()
  expect(editor.words(7)).toBe('two')
  asked[1]!({ ok: true, change: edited })
  await settled()
  expect(editor.words(7)).toBeUndefined()
})
