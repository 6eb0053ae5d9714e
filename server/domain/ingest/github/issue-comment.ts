// Comments on issues and on pull requests, which GitHub counts as issues too.
import { z } from 'zod'
import type { Thing } from '#shared/activity.ts'
import {
  actorOf,
  asVerb,
  envelope,
  groupOf,
  type Happening,
  numbered,
  numberedThing,
  occurred,
  prose,
  repositoryThing,
} from './parts.ts'

export const issueComment = envelope.extend({
  action: z.string(),
  issue: numbered.extend({ pull_request: z.unknown().optional() }),
  comment: z.object({ html_url: z.string().optional(), body: z.string().nullish(), updated_at: z.string().nullish() }),
})

export function mapIssueComment(payload: z.infer<typeof issueComment>): Happening {
  const { action, issue, comment, repository: repo } = payload
  const verb = action === 'created' ? 'commented' : `${asVerb(action).slice(0, 28)}-comment-on`
  const gone = action === 'deleted'
  const about = numberedThing(issue.pull_request ? 'pull request' : 'issue', repo, issue)
  return {
    actorName: actorOf(payload.sender),
    input: {
      verb,
      object: gone ? about : atComment(about, comment.html_url),
      target: repositoryThing(repo),
      // What somebody took back is not said again.
      summary: gone ? '' : prose(comment.body),
      metadata: {},
      groupKey: groupOf(about, verb),
      ...occurred(comment.updated_at),
    },
  }
}

const atComment = (about: Thing, url: string | undefined): Thing => (url && about.url ? { ...about, url } : about)
