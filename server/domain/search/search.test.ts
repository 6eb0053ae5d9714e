import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markExcerpt, markWords } from './mark-words.ts'
import { wordsOf, wordsToFind } from './words.ts'

const shown = (text: string, q: string) =>
  markWords(text, wordsOf(q))
    .map(({ text: piece, hit }) => (hit ? `[${piece}]` : piece))
    .join('')

describe('words of a search', () => {
  it.each([
    ['Deploy  apollo', ['deploy', 'apollo']],
    ['build-7 (2.4.0)', ['build', '7', '2', '4', '0']],
    ["it's a:* & !b | <->", ['it', 's', 'a', 'b']],
    ['Ärger 長い文 naïve', ['ärger', '長い文', 'naïve']],
    ['a a A', ['a']],
    [' \u0000 … ', []],
    ['\ud800', []],
  ])('[FEED-7] %j', (q, words) => {
    expect(wordsOf(q)).toEqual(words)
  })

  it('[FEED-7] at most eight', () => {
    expect(wordsOf('a b c d e f g h i j')).toHaveLength(8)
  })
})

describe('words of an activity', () => {
  it('[FEED-7] who acted if it was a tool, verb, summary, titles and ids, split as a query is', () => {
    const words = wordsToFind(
      { kind: 'tool', id: 't', name: 'Build-Server' },
      {
        verb: 'force-pushed',
        summary: 'Ärger, ½ done',
        object: { type: 'release', id: '2.4', title: 'Apollo' },
        target: { type: 'branch', id: 'main' },
      },
    )
    expect(words).toEqual(['build', 'server', 'force', 'pushed', 'ärger', '½', 'done', 'apollo', '2', '4', 'main'])
  })

  it('[FEED-7] not the name of a person, which may change, and nothing that Postgres could not keep', () => {
    const ada = { kind: 'person' as const, id: 'a', handle: 'ada', name: 'Ada' }
    expect(wordsToFind(ada, { verb: 'posted', summary: `x ${'長'.repeat(681)} \ud800y` })).toEqual(['posted', 'x', 'y'])
  })
})

describe('marks', () => {
  it.each([
    ['Apollo 2.4.0 is out', 'apo 4', '[Apollo] 2.[4].0 is out'],
    ['The deployment deployed', 'deploy', 'The [deployment] [deployed]'],
    ['redeployed', 'deploy', 'redeployed'],
    ['<b>bold</b> & "bolder"', 'bold', '<b>[bold]</b> & "[bolder]"'],
    ['ÄRGER im İstanbul', 'ärg', '[ÄRGER] im İstanbul'],
    ['', 'a', ''],
  ])('[FEED-7] %j searched for %j', (text, q, expected) => {
    expect(shown(text, q)).toBe(expected)
  })

  it('[FEED-7] the pieces of a text are the text, whatever is in it, and every hit begins with a word', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 400 })
    fc.assert(
      fc.property(texts, fc.string({ unit: 'grapheme', maxLength: 30 }), (text, q) => {
        const words = wordsOf(q)
        const segments = markWords(text, words)
        expect(segments.map((segment) => segment.text).join('')).toBe(text)
        for (const { text: piece, hit } of segments)
          if (hit) expect(words.some((word) => piece.toLowerCase().startsWith(word))).toBe(true)
      }),
    )
  })

  it('[FEED-7] an excerpt of a long text is short, holds the first match, and cuts neither words nor characters', () => {
    const filler = fc.array(fc.constantFrom('lorem', 'ipsum', '長い', '😀😀', 'x'.repeat(300)), { maxLength: 120 })
    fc.assert(
      fc.property(filler, filler, (before, after) => {
        const text = [...before, 'needle', ...after].join(' ')
        const segments = markExcerpt(text, ['needle'])
        const excerpt = segments.map((segment) => segment.text).join('')
        expect(excerpt.length).toBeLessThanOrEqual(242)
        expect(segments.filter(({ hit }) => hit).map((segment) => segment.text)).toEqual(['needle'])
        expect(excerpt.isWellFormed()).toBe(true)
      }),
    )
  })
})
