import { describe, expect, it } from 'vitest'
import { mentionedHandles } from '#shared/activity.ts'
import { namingAt, rankTopics, replacement } from './completion.ts'

/** `|` is the caret. */
const at = (marked: string) => namingAt(marked.replace('|', ''), marked.indexOf('|'))

describe('naming people and topics while writing', () => {
  it('[FEED-13] finds the name that ends at the caret', () => {
    expect(at('Ask @gr|')).toEqual({ mark: '@', from: 4, to: 7, query: 'gr' })
    expect(at('@|')).toEqual({ mark: '@', from: 0, to: 1, query: '' })
    expect(at('see (#project/ap|)')).toEqual({ mark: '#', from: 5, to: 16, query: 'project/ap' })
    expect(at('one\n@Ada|\ntwo')).toMatchObject({ query: 'ada' })
  })

  it('[FEED-13] leaves addresses, finished words and the middle of a word alone', () => {
    for (const text of ['ada@ex|', 'no mark|', '@ada |', '@gr|ace', 'a/@b|', '##x|', 'C#|'])
      expect(at(text), text).toBeNull()
  })

  it('[FEED-13] puts the name in with one space behind it, and the server reads it as a mention', () => {
    const complete = (marked: string, name: string) => {
      const text = marked.replace('|', '')
      const naming = at(marked)!
      return text.slice(0, naming.from) + replacement(text, naming, name) + text.slice(naming.to)
    }
    expect(complete('Ask @gr|', 'grace')).toBe('Ask @grace ')
    expect(complete('Ask @gr| about it', 'grace')).toBe('Ask @grace about it')
    expect(mentionedHandles(complete('(@gr|)', 'grace'))).toEqual(['grace'])
  })

  it('[FEED-13] ranks topics by fit, followed ones first', () => {
    const topics = [
      { name: 'team/apollo-crew', following: false },
      { name: 'project/apollo', following: true },
      { name: 'apps/mobile', following: true },
      { name: 'project/hermes', following: true },
    ]
    const names = (query: string, most = 9) => rankTopics(topics, query, most).map((topic) => topic.name)
    expect(names('ap')).toEqual(['project/apollo', 'team/apollo-crew', 'apps/mobile'])
    expect(names('#project/')).toEqual(['project/apollo', 'project/hermes'])
    expect(names('')).toEqual(['apps/mobile', 'project/apollo', 'project/hermes', 'team/apollo-crew'])
    expect(names('', 1)).toEqual(['apps/mobile'])
    expect(names('zz')).toEqual([])
  })
})
