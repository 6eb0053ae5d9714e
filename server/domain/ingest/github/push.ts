// Commits that were pushed, and branches and tags that came or went.
import { z } from 'zod'
import type { Thing } from '#shared/activity.ts'
import {
  account,
  actorOf,
  branchThing,
  firstLine,
  groupOf,
  type Happening,
  line,
  makeThing,
  occurred,
  repository,
  repositoryThing,
  webAddress,
} from './parts.ts'

const commit = z.object({ id: z.string(), message: z.string(), url: z.string().optional() })

export const push = z.object({
  repository,
  sender: account.optional(),
  pusher: z.object({ name: z.string() }).optional(),
  ref: z.string(),
  after: z.string(),
  created: z.boolean().default(false),
  deleted: z.boolean().default(false),
  forced: z.boolean().default(false),
  compare: z.string().optional(),
  commits: z.array(commit).default([]),
  head_commit: z.object({ timestamp: z.string().optional() }).nullish(),
})

type Push = z.infer<typeof push>

/** As many as a row can unfold. */
const COMMITS_KEPT = 20
/** With this, twenty commits fit into an activity's metadata even when every letter takes three bytes. */
const COMMIT_URL_MAX = 250
const FORCED = 'Forced: what was on the branch before was replaced.'

export function mapPush(payload: Push): Happening {
  const { repository: repo, created, deleted, forced, commits } = payload
  const ref = refOf(payload.ref)
  const target = repositoryThing(repo)
  const actorName = actorOf(payload.sender ?? { login: payload.pusher?.name ?? '' })
  const at = occurred(payload.head_commit?.timestamp)
  if (ref.kind === 'branch' && commits.length > 0 && !deleted) {
    const branch = branchThing(repo, ref.name)
    const input = {
      verb: 'pushed',
      object: commitsThing(payload),
      target: branch,
      summary: forced ? FORCED : '',
      metadata: { commits: commits.slice(-COMMITS_KEPT).reverse().map(commitEntry), total: commits.length },
      groupKey: groupOf(branch, 'pushed'),
      ...at,
    }
    return { actorName, input }
  }
  const verb = deleted ? 'deleted' : created ? 'created' : 'updated'
  const object = refThing(payload, ref, deleted)
  return { actorName, input: { verb, object, target, summary: forced ? FORCED : '', metadata: {}, ...at } }
}

type Ref = { kind: 'branch' | 'tag' | 'reference'; name: string }

function refOf(ref: string): Ref {
  if (ref.startsWith('refs/heads/')) return { kind: 'branch', name: ref.slice('refs/heads/'.length) }
  if (ref.startsWith('refs/tags/')) return { kind: 'tag', name: ref.slice('refs/tags/'.length) }
  return { kind: 'reference', name: ref }
}

const commitsThing = ({ after, commits, compare }: Push): Thing =>
  makeThing({
    type: 'commits',
    id: after,
    title: commits.length === 1 ? '1 commit' : `${commits.length} commits`,
    url: compare ?? commits.at(-1)?.url,
  })

function refThing({ repository: repo, compare }: Push, { kind, name }: Ref, deleted: boolean): Thing {
  const page = kind === 'reference' ? compare : branchThing(repo, name).url
  return makeThing({
    type: kind,
    id: `${repo.full_name}:${name}`,
    title: `${kind} ${name}`,
    url: deleted ? null : page,
  })
}

function commitEntry({ id, message, url }: z.infer<typeof commit>) {
  const page = webAddress(url)
  return {
    id: line(id, 64),
    title: firstLine(message, 100),
    ...(page && page.length <= COMMIT_URL_MAX ? { url: page } : {}),
  }
}
