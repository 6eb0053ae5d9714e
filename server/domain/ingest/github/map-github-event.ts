// What GitHub tells, as an activity: one pure function per kind of event. Kinds that have none are left out, not refused.
import type { z } from 'zod'
import { type PublishInput, publishInput } from '#shared/activity.ts'
import { firstProblem } from '#shared/first-problem.ts'
import { err, ok, type Result } from '#shared/result.ts'
import { issueComment, mapIssueComment } from './issue-comment.ts'
import { issues, mapIssues, mapPullRequest, pullRequest } from './issues.ts'
import type { Happening } from './parts.ts'
import { mapPush, push } from './push.ts'
import { mapRelease, release } from './release.ts'
import { mapWorkflowRun, workflowRun } from './workflow-run.ts'

type Read = (payload: unknown) => Result<Happening>

const reader =
  <T>(schema: z.ZodType<T>, map: (payload: T) => Happening): Read =>
  (payload) => {
    const parsed = schema.safeParse(payload)
    return parsed.success ? ok(map(parsed.data)) : problem(parsed.error)
  }

const READERS: Record<string, Read> = {
  push: reader(push, mapPush),
  pull_request: reader(pullRequest, mapPullRequest),
  issues: reader(issues, mapIssues),
  issue_comment: reader(issueComment, mapIssueComment),
  release: reader(release, mapRelease),
  workflow_run: reader(workflowRun, mapWorkflowRun),
}

/** Which topic it goes to is for the source to say. */
const publishable = publishInput.omit({ topic: true })

export type GithubActivity = { actorName: string; input: Omit<PublishInput, 'topic'> }

/** Null for an event that we have no words for. The mapping cuts what is too long; what is still not as it should be is named, and not stored. */
export function mapGithubEvent(event: string, payload: unknown): Result<GithubActivity | null> {
  if (!Object.hasOwn(READERS, event)) return ok(null)
  const read = READERS[event]!(payload)
  if (!read.ok) return read
  const { actorName, input } = read.value
  const checked = publishable.safeParse(input)
  return checked.success ? ok({ actorName, input: checked.data }) : problem(checked.error)
}

function problem(error: z.ZodError) {
  const { message, field } = firstProblem(error, 'body')
  return err('INVALID_INPUT', message, field)
}
