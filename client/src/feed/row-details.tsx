// What a source put beside an activity, where we know how to show it: commits, a failed run, figures of a change.
import { type ReactNode, useState } from 'react'
import type { FeedItem } from '#shared/feed.ts'
import { feedTexts } from '../texts/feed.ts'
import { Icon } from '../ui/icon.tsx'
import { type Commit, commitsIn, type Failure, type Figures, failureIn, figuresIn } from './metadata.ts'
import { OutLink } from './row-headline.tsx'

const COMMITS_SHOWN = 3

export function RowDetails({ item }: { item: FeedItem }) {
  const commits = commitsIn(item.metadata)
  const failure = failureIn(item.verb, item.metadata)
  const figures = figuresIn(item.verb, item.metadata)
  return (
    <>
      {figures && <FigureLine figures={figures} />}
      {failure && <FailureLine failure={failure} />}
      {commits.length > 0 && <CommitList commits={commits} />}
    </>
  )
}

function CommitList({ commits }: { commits: Commit[] }) {
  const [open, setOpen] = useState(false)
  const more = commits.length - COMMITS_SHOWN
  const shown = open || more <= 1 ? commits : commits.slice(0, COMMITS_SHOWN)
  return (
    <ul className="mt-1.5 max-w-(--measure) divide-y divide-line-faint overflow-hidden rounded-8 border border-line bg-surface">
      {shown.map((commit) => (
        <li key={commit.id} className="flex h-7 items-center gap-2.5 px-2.5 text-ink-2">
          <Sha commit={commit} />
          <span className="truncate">{commit.title}</span>
        </li>
      ))}
      {shown.length < commits.length && (
        <li>
          <button
            type="button"
            onClick={() => setOpen(true)}
            className="flex h-7 w-full items-center px-2.5 text-12 font-medium text-ink-2 hover:bg-hover focus-visible:shadow-ring-inset"
          >
            {feedTexts.row.moreCommits(more)}
          </button>
        </li>
      )}
    </ul>
  )
}

const SHA = 'font-mono text-12 text-accent-text'

function Sha({ commit }: { commit: Commit }) {
  if (commit.url === null) return <span className={SHA}>{commit.id}</span>
  return (
    <OutLink url={commit.url} className={`${SHA} no-underline hover:underline`}>
      {commit.id}
    </OutLink>
  )
}

function FailureLine({ failure: { failed, total, test, url } }: { failure: Failure }) {
  const count =
    failed === null ? null : total === null ? feedTexts.row.tests(failed) : feedTexts.row.failedOf(failed, total)
  return (
    <div className="mt-1.5 flex max-w-(--measure) items-center gap-2.5 rounded-8 border border-line bg-sunken px-2.5 py-1.5 font-mono text-12 text-ink-2">
      {count !== null && <span className="flex-none text-bad tabular-nums">{count}</span>}
      <span className="min-w-0 flex-1 truncate">{test}</span>
      {url !== null && (
        <OutLink url={url} className="flex-none text-accent-text no-underline hover:underline">
          {feedTexts.row.openLog}
        </OutLink>
      )}
    </div>
  )
}

function FigureLine({ figures: { added, removed, passed, checks, tests } }: { figures: Figures }) {
  const allPassed = checks !== null && passed === checks
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-ink-3 tabular-nums">
      {(added !== null || removed !== null) && (
        <span className="flex gap-1.5">
          {added !== null && <span className="text-ok">+{added.toLocaleString('en')}</span>}
          {removed !== null && <span className="text-bad">−{removed.toLocaleString('en')}</span>}
        </span>
      )}
      {checks !== null && passed !== null && (
        <Figure
          icon={
            <Icon name={allPassed ? 'check' : 'warning'} size={14} className={allPassed ? 'text-ok' : 'text-warn'} />
          }
        >
          {feedTexts.row.checks(passed, checks)}
        </Figure>
      )}
      {tests !== null && (
        <Figure icon={<Icon name="check" size={14} className="text-ok" />}>{feedTexts.row.tests(tests)}</Figure>
      )}
    </p>
  )
}

function Figure({ icon, children }: { icon: ReactNode; children: string }) {
  return (
    <span className="flex items-center gap-1">
      {icon}
      {children}
    </span>
  )
}
