// Issues and pull requests: both are numbered, titled, labelled, assigned and closed alike.
import { z } from 'zod'
import type { Thing } from '#shared/activity.ts'
import {
  account,
  accountThing,
  actorOf,
  asVerb,
  type Envelope,
  envelope,
  groupOf,
  type Happening,
  line,
  type Numbered,
  numbered,
  numberedThing,
  occurred,
  prose,
  repository,
  repositoryThing,
  withoutPage,
} from './parts.ts'

const titled = z.object({ title: z.string() })

const around = envelope.extend({
  action: z.string(),
  assignee: account.nullish(),
  label: z.object({ name: z.string() }).nullish(),
  milestone: titled.nullish(),
  changes: z
    .object({
      title: z.object({ from: z.string() }).optional(),
      new_issue: z.object({ number: z.number() }).optional(),
      new_repository: repository.optional(),
    })
    .nullish(),
})

export const issues = around.extend({ issue: numbered })
export const pullRequest = around.extend({
  pull_request: numbered.extend({
    merged: z.boolean().nullish(),
    base: z.object({ ref: z.string() }),
    additions: z.number().optional(),
    deletions: z.number().optional(),
  }),
  requested_reviewer: account.partial().nullish(),
  requested_team: z.object({ name: z.string() }).nullish(),
})

type Around = z.infer<typeof around>
type PullRequest = z.infer<typeof pullRequest>

/** Where GitHub's word for it does not read well between who and what. */
const VERBS: Record<string, string> = {
  edited: 'updated',
  synchronize: 'updated',
  labeled: 'labelled',
  unlabeled: 'unlabelled',
  milestoned: 'planned',
  demilestoned: 'unplanned',
  converted_to_draft: 'marked-as-draft',
  ready_for_review: 'marked-as-ready',
  review_requested: 'asked-for-review-of',
  review_request_removed: 'no-longer-asks-for-review-of',
}

const verbOf = (action: string): string => (Object.hasOwn(VERBS, action) ? VERBS[action]! : asVerb(action))

export const mapIssues = (payload: z.infer<typeof issues>): Happening =>
  happening(payload, payload.issue, {
    verb: verbOf(payload.action),
    thing: numberedThing('issue', payload.repository, payload.issue),
    remark: remarkOf(payload),
    metadata: {},
  })

export function mapPullRequest(payload: PullRequest): Happening {
  const { pull_request: pull, action } = payload
  const merged = action === 'closed' && pull.merged === true
  const { additions, deletions } = pull
  const sized = (merged || action === 'opened') && additions !== undefined && deletions !== undefined
  return happening(payload, pull, {
    verb: merged ? 'merged' : verbOf(action),
    thing: numberedThing('pull request', payload.repository, pull),
    remark: reviewRemark(payload) ?? remarkOf(payload),
    metadata: { branch: line(pull.base.ref, 200), ...(sized ? { additions, deletions } : {}) },
  })
}

type Parts = { verb: string; thing: Thing; remark: string; metadata: Happening['input']['metadata'] }

function happening(payload: Around & Envelope, about: Numbered, { verb, thing, remark, metadata }: Parts): Happening {
  const { action, assignee, repository: repo, sender } = payload
  const toPerson = action === 'assigned' && assignee
  return {
    actorName: actorOf(sender),
    input: {
      verb,
      object: action === 'deleted' ? withoutPage(thing) : thing,
      target: toPerson ? accountThing(assignee) : repositoryThing(repo),
      summary: action === 'opened' ? prose(about.body) : remark,
      metadata,
      groupKey: groupOf(thing, verb),
      ...occurred(about.updated_at),
    },
  }
}

/** What changed, where who, verb and thing do not say it. */
function remarkOf({ action, label, milestone, assignee, changes }: Around): string {
  if (label) return `Label: ${line(label.name, 100)}`
  if (milestone) return `Milestone: ${line(milestone.title, 200)}`
  if (action === 'unassigned' && assignee) return `No longer assigned: ${line(assignee.login, 100)}`
  if (changes?.title) return `Title before: ${line(changes.title.from, 300)}`
  if (action === 'transferred' && changes?.new_repository)
    return `Now ${line(changes.new_repository.full_name, 150)}#${changes.new_issue?.number ?? ''}`
  if (action === 'synchronize') return 'New commits.'
  return ''
}

function reviewRemark({ requested_reviewer: person, requested_team: team }: PullRequest): string | null {
  const name = person?.login ?? team?.name
  return name === undefined ? null : `Reviewer: ${line(name, 100)}`
}
