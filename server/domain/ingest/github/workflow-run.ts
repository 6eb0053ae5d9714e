// Runs of workflows. Who started one is a person; that it passed or failed is said by the workflow itself.
import { z } from 'zod'
import {
  actorNamed,
  actorOf,
  asVerb,
  branchThing,
  envelope,
  firstLine,
  groupKey,
  type Happening,
  line,
  makeThing,
  occurred,
  repositoryThing,
} from './parts.ts'

export const workflowRun = envelope.extend({
  action: z.string(),
  workflow: z.object({ name: z.string() }).nullish(),
  workflow_run: z.object({
    name: z.string().nullish(),
    run_number: z.number(),
    conclusion: z.string().nullish(),
    html_url: z.string().optional(),
    head_branch: z.string().nullish(),
    head_sha: z.string().nullish(),
    head_commit: z.object({ message: z.string() }).nullish(),
    run_started_at: z.string().nullish(),
    updated_at: z.string().nullish(),
  }),
})

type Run = z.infer<typeof workflowRun>['workflow_run']

/** `why` stands in the row of a failed run. */
const ENDS = new Map<string, { verb: string; why?: string }>([
  ['success', { verb: 'passed' }],
  ['failure', { verb: 'failed', why: 'A job failed' }],
  ['timed_out', { verb: 'failed', why: 'Took too long' }],
  ['startup_failure', { verb: 'failed', why: 'Could not be started' }],
  ['cancelled', { verb: 'cancelled' }],
  ['skipped', { verb: 'skipped' }],
  ['action_required', { verb: 'needs-approval-for' }],
])
const FINISHED: { verb: string; why?: string } = { verb: 'finished' }

export function mapWorkflowRun(payload: z.infer<typeof workflowRun>): Happening {
  const { action, workflow_run: run, repository: repo } = payload
  const workflow = actorNamed(run.name?.trim() || workflowName(payload) || 'GitHub Actions')
  const target = run.head_branch ? branchThing(repo, run.head_branch) : repositoryThing(repo)
  const id = `${repo.full_name} ${workflow} ${run.run_number}`
  const about = { target, summary: '', groupKey: groupKey('run', workflow, target.id), ...occurred(run.updated_at) }
  const commit = commitOf(run)
  if (action !== 'completed') {
    const title = `${workflow} #${run.run_number}`
    const verb = action === 'in_progress' ? 'started' : asVerb(action)
    const object = makeThing({ type: 'run', id, title, url: run.html_url })
    return { actorName: actorOf(payload.sender), input: { ...about, verb, object, metadata: commit } }
  }
  const { verb, why } = ENDS.get(run.conclusion ?? '') ?? FINISHED
  // These two are read as "passed on main · run #7"; the others as "cancelled run #7 in main".
  const title = verb === 'passed' || verb === 'failed' ? `#${run.run_number}` : `run #${run.run_number}`
  const object = makeThing({ type: 'run', id, title, url: run.html_url })
  const metadata = { ...commit, ...secondsOf(run), ...(why ? { reason: why, logUrl: object.url ?? '' } : {}) }
  return { actorName: workflow, input: { ...about, verb, object, metadata } }
}

const workflowName = ({ workflow }: z.infer<typeof workflowRun>): string => workflow?.name.trim() ?? ''

function commitOf({ head_sha: sha, head_commit: commit }: Run): Record<string, string> {
  return { ...(sha ? { sha: line(sha, 64) } : {}), ...(commit ? { commit: firstLine(commit.message, 120) } : {}) }
}

function secondsOf({ run_started_at: from, updated_at: to }: Run): { seconds?: number } {
  const seconds = Math.round((Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000)
  return seconds > 0 ? { seconds } : {}
}
