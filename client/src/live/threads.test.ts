import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { type Comment, NO_TALK, type Said, type TalkChange, type ThreadPage } from '#shared/talk.ts'
import { settled } from './testing.ts'
import { type Thread, viewThread } from './thread.ts'
import { createThreads, type Sent, threadKey, withChanges } from './threads.ts'

const ada = { id: 'p-ada', handle: 'ada', name: 'Ada' }
const aComment = (id: number, version: number, text = `words ${id}`): Comment => ({
  ...{ id, version, text, activity: 7, parent: null, author: ada, mentions: [] },
  ...{ createdAt: '2026-11-18T10:00:00.000Z', editedAt: null, editedBy: null, deleted: false },
})
const said = (comment: Comment): Said => ({ comment, talk: { ...NO_TALK, version: comment.version, comments: 1 } })

function setUp() {
  const queryClient = new QueryClient()
  const asked: { what: string; answer: (sent: Sent) => void }[] = []
  const ask = (what: string) => new Promise<Sent>((answer) => asked.push({ what, answer }))
  const talks: number[] = []
  const refused: string[] = []
  let hear: (change: TalkChange) => void = () => {}
  let page: ThreadPage = { comments: [aComment(1, 1)], cursor: null, talk: { ...NO_TALK, version: 1 } }
  let keys = 0
  const threads = createThreads({
    queryClient,
    onTalk: (listener) => {
      hear = listener
      return () => {}
    },
    learnTalk: (_, talk) => talks.push(talk.version),
    list: async () => page,
    add: ({ key, text }) => ask(`add ${key} ${text}`),
    edit: (id, text) => ask(`edit ${id} ${text}`),
    remove: (id) => ask(`remove ${id}`),
    newKey: () => `k${++keys}`,
    onRefused: (message) => refused.push(message),
  })
  const tell = (comment: Comment) =>
    hear({ ...NO_TALK, kind: 'talk', activity: 7, version: comment.version, reacted: null, comment, concerns: [] })
  const open = async () => queryClient.setQueryData(threadKey(7), await threads.open(7))
  const texts = () => {
    const thread = queryClient.getQueryData<Thread>(threadKey(7))!
    return viewThread(withChanges(thread, threads.state().changes)).map(({ root }) => root.text)
  }
  const setPage = (next: ThreadPage) => {
    page = next
  }
  return { threads, asked, refused, talks, tell, open, texts, setPage }
}

it('[FEED-3] what is heard while a thread is being fetched is in it', async () => {
  const { threads, tell, open, texts } = setUp()
  tell(aComment(2, 2))
  await open()
  expect(texts()).toEqual(['words 1', 'words 2'])
  tell({ ...aComment(1, 3), deleted: true, text: '' })
  expect(texts()).toEqual(['words 2'])
  expect(threads.state().pending).toEqual([])
})

it('[FEED-15] a comment shows at once; refused it keeps its words, and is sent again with the same key', async () => {
  const { threads, asked, tell, open, texts } = setUp()
  await open()
  threads.say(7, null, 'Hello.')
  expect(threads.state().pending).toMatchObject([{ text: 'Hello.', failed: null }])
  asked[0]!.answer({ ok: false, message: 'No network.' })
  await settled()
  const [kept] = threads.state().pending
  expect(kept).toMatchObject({ text: 'Hello.', failed: 'No network.' })
  threads.again(kept!)
  expect(asked[1]!.what).toBe('add k1 Hello.')
  // The event overtakes the answer; together they make one comment.
  tell(aComment(5, 4, 'Hello.'))
  asked[1]!.answer({ ok: true, said: said(aComment(5, 4, 'Hello.')) })
  await settled()
  expect(threads.state().pending).toEqual([])
  expect(texts()).toEqual(['words 1', 'Hello.'])
})

it('[FEED-15] an edit and a deletion show at once and are taken back when refused; the words are not lost', async () => {
  const { threads, asked, refused, open, texts } = setUp()
  await open()
  void threads.edit(1, 'Better words.')
  expect(texts()).toEqual(['Better words.'])
  asked[0]!.answer({ ok: false, message: 'Not allowed.' })
  await settled()
  expect(texts()).toEqual(['words 1'])
  expect(threads.state().changes.get(1)).toEqual({ text: 'Better words.', failed: 'Not allowed.' })
  threads.dropChange(1)
  void threads.remove(1)
  expect(texts()).toEqual([])
  asked[1]!.answer({ ok: false, message: 'Not allowed.' })
  await settled()
  expect(texts()).toEqual(['words 1'])
  expect(refused).toEqual(['Not allowed.'])
})
