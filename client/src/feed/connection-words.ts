// What the connection is called and what is told about it: pure, so that every state can be read and tested as text.
import type { Connection } from '../live/connection.ts'
import { BEAT_EVERY_MS } from '../live/ladder-state.ts'
import type { Trouble } from '../live/rung-state.ts'
import { feedTexts } from '../texts/feed.ts'
import type { IconName } from '../ui/icon.tsx'
import { clockTime, duration, roughDuration } from './when.ts'

const texts = feedTexts.connection
/** After so long a first connection deserves a word. */
const LONG_CONNECT_MS = 5_000

export type ConnectionWords = {
  name: string
  /** The one fact that matters, beside the name. */
  fact: string | null
  title: string
  sentence: string
  facts: { label: string; value: string }[]
}

export const CONNECTION_ICONS: Record<Connection['state'], IconName> = {
  live: 'waves',
  delayed: 'clock',
  polling: 'refresh',
  offline: 'waves-off',
  connecting: 'waves',
  'signed-out': 'sign-out',
}

type Around = { now: number; holes: number; posts: number; marks: number }

export function connectionWords(connection: Connection, { now, holes, posts, marks }: Around): ConnectionWords {
  const { facts } = texts
  const ago = (time: number) => (now - time < 1_000 ? facts.now : texts.ago(duration(now - time)))
  const until = (time: number) => (time - now < 500 ? facts.now : texts.in(duration(time - now)))
  const waiting = posts > 0 ? texts.waiting(posts) : null
  const unsent = posts > 0 ? [{ label: facts.posts, value: facts.postCount(posts) }] : []

  switch (connection.state) {
    case 'live':
      return {
        ...named(texts.live),
        fact: null,
        sentence: texts.sentences.live,
        facts: [
          { label: facts.sign, value: ago(connection.heardAt) },
          { label: facts.holes, value: holes === 0 ? facts.noHoles : String(holes) },
          ...unsent,
        ],
      }
    case 'delayed':
      return {
        ...named(texts.delayed),
        fact: roughDuration(now - connection.beatAt),
        sentence: texts.sentences.delayed,
        facts: [
          { label: facts.sign, value: ago(connection.beatAt) },
          { label: facts.expected, value: duration(BEAT_EVERY_MS) },
          { label: facts.next, value: facts.nextPolling(duration(connection.pollAt - now)) },
          ...unsent,
        ],
      }
    case 'polling': {
      const { trouble, told, quiet, failures, lastPoll, tryAt, pollAt } = connection
      const { pollingTold, pollingQuiet, pollingBroken } = texts.sentences
      return {
        ...named(texts.polling),
        title: texts.pollingEvery,
        fact: tryAt !== null && tryAt > now ? texts.liveIn(roughDuration(tryAt - now)) : null,
        sentence: told ? pollingTold : quiet ? pollingQuiet : pollingBroken(failures),
        facts: [
          ...(trouble ? [{ label: facts.reason, value: troubleWords(trouble) }] : []),
          ...(lastPoll ? [{ label: facts.answer, value: facts.found(ago(lastPoll.at), lastPoll.found) }] : []),
          { label: facts.nextPoll, value: pollAt === null ? facts.now : until(pollAt) },
          ...(quiet ? [] : [{ label: facts.nextTry, value: tryAt === null ? facts.trying : until(tryAt) }]),
          ...unsent,
        ],
      }
    }
    case 'offline':
      return {
        ...named(texts.offline),
        title: texts.offlineSince(clockTime(connection.since)),
        fact: waiting,
        sentence: texts.sentences.offline,
        facts: [
          { label: facts.posts, value: posts === 0 ? facts.none : facts.postCount(posts) },
          { label: facts.marks, value: marks === 0 ? facts.none : String(marks) },
          { label: facts.retry, value: facts.networkBack },
        ],
      }
    case 'connecting': {
      const long = now - connection.since >= LONG_CONNECT_MS || connection.trouble !== null
      return {
        ...named(texts.connecting),
        fact: waiting,
        sentence: long ? texts.sentences.connectingLong : texts.sentences.connecting,
        facts: connection.trouble ? [{ label: facts.reason, value: troubleWords(connection.trouble) }] : [],
      }
    }
    case 'signed-out':
      return { ...named(texts.signedOut), fact: waiting, sentence: texts.sentences.signedOut, facts: unsent }
  }
}

const named = (name: string) => ({ name, title: name })

const troubleWords = (trouble: Trouble): string =>
  trouble.kind === 'status' ? texts.troubles.status(trouble.status) : texts.troubles[trouble.kind]
