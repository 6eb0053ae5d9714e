// The parts that GitHub's payloads share, read loosely: only what an activity shows is asked for, everything else may
// change without us noticing. Texts are made fit for a line, addresses that are none are left out.
import { z } from 'zod'
import { moment, type PublishInput, type Thing, thing } from '#shared/activity.ts'
import { SUMMARY_MAX_CHARS } from '#shared/limits.ts'
import { cut } from '../cut.ts'

/** One activity to be, and who did it. */
export type Happening = { actorName: string; input: Omit<PublishInput, 'topic' | 'idempotencyKey'> }

export const account = z.object({ login: z.string(), html_url: z.string().optional() })
export const repository = z.object({ full_name: z.string(), html_url: z.string().optional() })
export const envelope = z.object({ repository, sender: account })
/** Issues and pull requests are numbered together. */
export const numbered = z.object({
  number: z.number(),
  title: z.string(),
  html_url: z.string().optional(),
  body: z.string().nullish(),
  updated_at: z.string().nullish(),
})

export type Envelope = z.infer<typeof envelope>
export type Account = z.infer<typeof account>
export type Repository = z.infer<typeof repository>
export type Numbered = z.infer<typeof numbered>

const TYPE_MAX = 40
const ID_MAX = 200
const TITLE_MAX = 300
const ACTOR_MAX = 80

/** One line: no control characters, no turned direction, no half characters. */
export const line = (text: string, max: number): string =>
  cut(
    text
      .toWellFormed()
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
    max,
  )

export const firstLine = (text: string, max: number): string => line(text.trim().split('\n')[0]!, max)

/** What people wrote, without the hidden remarks of templates. */
export function prose(text: string | null | undefined): string {
  const shown = (text ?? '')
    .toWellFormed()
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll(String.fromCharCode(0), '')
    .trim()
  return cut(shown, SUMMARY_MAX_CHARS).trim()
}

export const actorOf = ({ login }: Account): string => line(login, ACTOR_MAX) || 'GitHub'
export const actorNamed = (name: string): string => line(name, ACTOR_MAX)

export function webAddress(text: string | null | undefined): string | undefined {
  const parsed = thing.shape.url.safeParse(text ?? undefined)
  return parsed.success ? parsed.data : undefined
}

export function makeThing(parts: { type: string; id: string; title: string; url?: string | null | undefined }): Thing {
  const id = line(parts.id, ID_MAX) || '?'
  const url = webAddress(parts.url)
  return {
    type: line(parts.type, TYPE_MAX),
    id,
    title: line(parts.title, TITLE_MAX) || id,
    ...(url ? { url } : {}),
  }
}

export const repositoryThing = ({ full_name, html_url }: Repository): Thing =>
  makeThing({ type: 'repository', id: full_name, title: full_name, url: html_url })

export const accountThing = ({ login, html_url }: Account): Thing =>
  makeThing({ type: 'person', id: login, title: login, url: html_url })

export const numberedThing = (type: string, repo: Repository, { number, title, html_url }: Numbered): Thing =>
  makeThing({ type, id: `${repo.full_name}#${number}`, title: `#${number} ${title}`, url: html_url })

/** A branch with its repository: "main in octo/hello". */
export const branchThing = (repo: Repository, branch: string): Thing =>
  makeThing({
    type: 'branch',
    id: `${repo.full_name}:${branch}`,
    title: `${branch} in ${repo.full_name}`,
    url: repo.html_url && `${repo.html_url}/tree/${branch.split('/').map(encodeSegment).join('/')}`,
  })

const encodeSegment = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Activities of one verb about one thing belong together. */
export const groupOf = (thing: Thing, verb: string): string => groupKey(verb, thing.id)
export const groupKey = (...words: string[]): string => line(['github', ...words].join(' '), 200)

export function occurred(at: string | null | undefined): { occurredAt?: string } {
  const parsed = moment.safeParse(at)
  return parsed.success ? { occurredAt: parsed.data } : {}
}

/** Something that is gone has no page any more. */
export function withoutPage({ url: _, ...rest }: Thing): Thing {
  return rest
}

/** GitHub adds kinds of actions over time; one that we have no words for is said as it is. */
export const asVerb = (action: string): string =>
  action
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40) || 'changed'
