// What to do about each alert, where one needs it: inside the console, from the files of this very release.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { errorBody, trpc } from '../../lib/trpc.ts'
import { opsTexts } from '../../texts/ops.ts'
import { sentence } from '../../topics/use-topics.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { SkeletonLines } from '../../ui/skeleton.tsx'
import { opsPlaces } from '../ops-places.ts'
import { Grid, Nothing, PANEL, Panel } from '../panel.tsx'
import { readMarkdown } from './markdown.ts'
import { MarkdownView } from './markdown-view.tsx'

const t = opsTexts.runbooks

export function RunbooksPage() {
  const { name } = useParams()
  return name ? <Runbook key={name} name={name} /> : <List />
}

function List() {
  const names = useQuery(trpc.ops.runbooks.list.queryOptions())
  return (
    <Grid>
      <Panel title={t.title} hint={t.hint}>
        {names.isPending && (
          <div className="p-4">
            <SkeletonLines count={4} />
          </div>
        )}
        {names.error && <Nothing>{sentence(names.error)}</Nothing>}
        {names.data?.length === 0 && <Nothing>{t.none}</Nothing>}
        <ul className="grid pb-2 sm:grid-cols-2 lg:grid-cols-3">
          {names.data?.map((name) => (
            <li key={name}>
              <Link
                to={opsPlaces.runbook(name)}
                className="flex min-h-7.5 items-center px-3 font-medium no-underline hover:bg-hover focus-visible:shadow-ring-inset pointer-coarse:min-h-11"
              >
                <span className="truncate">{name}</span>
              </Link>
            </li>
          ))}
        </ul>
      </Panel>
    </Grid>
  )
}

function Runbook({ name }: { name: string }) {
  const runbook = useQuery({ ...trpc.ops.runbooks.show.queryOptions({ name }), retry: false })
  const missing = errorBody(runbook.error)?.code === 'NOT_FOUND'
  return (
    <div className="p-3">
      <article className={`max-w-200 px-6 py-5 max-sm:px-4 ${PANEL}`}>
        <ButtonLink size="sm" look="ghost" icon="arrow-left" to={opsPlaces.runbooks} className="mb-3 -ml-2">
          {t.all}
        </ButtonLink>
        {!runbook.data && <h2 className="text-20 font-semibold tracking-tight wrap-anywhere">{name}</h2>}
        {runbook.isPending && <SkeletonLines count={5} />}
        {runbook.error && <Nothing>{missing ? t.missing(name) : sentence(runbook.error)}</Nothing>}
        {runbook.data && <MarkdownView blocks={readMarkdown(runbook.data.text)} />}
      </article>
    </div>
  )
}
