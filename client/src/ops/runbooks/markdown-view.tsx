import { Fragment, type ReactNode } from 'react'
import { Link } from 'wouter'
import { opsTexts } from '../../texts/ops.ts'
import { opsPlaces } from '../ops-places.ts'
import { TABLE, TD, TH } from '../panel.tsx'
import { ScrollBlock } from '../scroll-block.tsx'
import { type Block, type Inline, isOutside, runbookOf } from './markdown.ts'

const t = opsTexts.runbooks
const LINK = 'text-accent-text underline underline-offset-2'

export function MarkdownView({ blocks }: { blocks: Block[] }) {
  // A page that does not change while it is shown: places are names enough.
  return <div className="grid gap-3 text-13">{blocks.map((block, i) => keyed(i, <BlockView block={block} />))}</div>
}

const keyed = (i: number, node: ReactNode) => <Fragment key={i}>{node}</Fragment>

function BlockView({ block }: { block: Block }) {
  switch (block.is) {
    case 'heading':
      return block.level === 1 ? (
        <h2 className="text-20 font-semibold tracking-tight wrap-anywhere">{spans(block.inline)}</h2>
      ) : (
        <h3 className="mt-2 text-14 font-semibold">{spans(block.inline)}</h3>
      )
    case 'paragraph':
      return <p className="text-ink-2">{spans(block.inline)}</p>
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List className={`grid gap-1 pl-5 text-ink-2 ${block.ordered ? 'list-decimal' : 'list-disc'}`}>
          {block.items.map((item, i) => keyed(i, <li>{spans(item)}</li>))}
        </List>
      )
    }
    case 'code':
      return (
        <ScrollBlock label={t.commands} className="bg-sunken">
          <pre className="p-3 font-mono text-12 whitespace-pre-wrap wrap-anywhere">{block.text}</pre>
        </ScrollBlock>
      )
    case 'table':
      return (
        <ScrollBlock label={t.table}>
          <table className={TABLE}>
            <thead>
              <tr>{block.head.map((cell, i) => keyed(i, <th className={TH}>{spans(cell)}</th>))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) =>
                keyed(
                  i,
                  <tr className="group">
                    {row.map((cell, j) =>
                      keyed(j, <td className={`${TD} wrap-anywhere whitespace-normal!`}>{spans(cell)}</td>),
                    )}
                  </tr>,
                ),
              )}
            </tbody>
          </table>
        </ScrollBlock>
      )
  }
}

const spans = (inline: Inline[]): ReactNode => inline.map((one, i) => keyed(i, <Span inline={one} />))

function Span({ inline }: { inline: Inline }) {
  switch (inline.is) {
    case 'text':
      return inline.text
    case 'strong':
      return <b className="font-semibold text-ink">{inline.text}</b>
    case 'code':
      return (
        <code className="rounded-4 border border-line-faint bg-sunken px-1 py-px font-mono text-[0.86em] wrap-anywhere text-ink">
          {inline.text}
        </code>
      )
    case 'link': {
      const runbook = runbookOf(inline.to)
      if (runbook)
        return (
          <Link to={opsPlaces.runbook(runbook)} className={LINK}>
            {inline.text}
          </Link>
        )
      if (!isOutside(inline.to)) return <span>{inline.text}</span>
      return (
        <a href={inline.to} rel="noreferrer" className={LINK}>
          {inline.text}
        </a>
      )
    }
  }
}
