import { describe, expect, it } from 'vitest'
import { isOutside, readInline, readMarkdown, runbookOf } from './markdown.ts'

describe('[FEED-17] runbooks', () => {
  it('reads headings, paragraphs, lists, code and tables', () => {
    const text = [
      '# DLQGrowing',
      '',
      'Work dies.',
      'It **stays** dead.',
      '',
      '- look with `npm run ops -- dlq list`',
      '  at its class',
      '- replay',
      '',
      '1. first',
      '2. second',
      '',
      '```sh',
      'npm run ops -- dlq list | head',
      '',
      '# not a heading',
      '```',
      '| a | b |',
      '| --- | --- |',
      '| `x \\| y` | 2 |',
    ].join('\n')
    expect(readMarkdown(text)).toEqual([
      { is: 'heading', level: 1, inline: [{ is: 'text', text: 'DLQGrowing' }] },
      {
        is: 'paragraph',
        inline: [
          { is: 'text', text: 'Work dies. It ' },
          { is: 'strong', text: 'stays' },
          { is: 'text', text: ' dead.' },
        ],
      },
      {
        is: 'list',
        ordered: false,
        items: [
          [
            { is: 'text', text: 'look with ' },
            { is: 'code', text: 'npm run ops -- dlq list' },
            { is: 'text', text: ' at its class' },
          ],
          [{ is: 'text', text: 'replay' }],
        ],
      },
      { is: 'list', ordered: true, items: [[{ is: 'text', text: 'first' }], [{ is: 'text', text: 'second' }]] },
      { is: 'code', text: 'npm run ops -- dlq list | head\n\n# not a heading' },
      {
        is: 'table',
        head: [[{ is: 'text', text: 'a' }], [{ is: 'text', text: 'b' }]],
        rows: [[[{ is: 'code', text: 'x | y' }], [{ is: 'text', text: '2' }]]],
      },
    ])
  })

  it('ends on anything, also on what is not finished', () => {
    for (const text of ['```', '|', '- ', '#', '**', '[a](', '| a |\n```\n| b', '  - x\n y'])
      expect(() => readMarkdown(text)).not.toThrow()
  })

  it('knows where links lead', () => {
    expect(readInline('see [the other](PELCountHigh.md)')).toEqual([
      { is: 'text', text: 'see ' },
      { is: 'link', text: 'the other', to: 'PELCountHigh.md' },
    ])
    expect(runbookOf('./PELCountHigh.md#diagnosis')).toBe('PELCountHigh')
    expect(runbookOf('../../docs/operations.md')).toBeNull()
    expect(isOutside('https://prometheus.io')).toBe(true)
    expect(isOutside('javascript:alert(1)')).toBe(false)
  })
})
