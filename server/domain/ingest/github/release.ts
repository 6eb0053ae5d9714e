// Releases of a repository.
import { z } from 'zod'
import {
  actorOf,
  asVerb,
  envelope,
  groupKey,
  type Happening,
  makeThing,
  occurred,
  prose,
  repositoryThing,
  withoutPage,
} from './parts.ts'

export const release = envelope.extend({
  action: z.string(),
  release: z.object({
    tag_name: z.string(),
    name: z.string().nullish(),
    body: z.string().nullish(),
    html_url: z.string().optional(),
    created_at: z.string().nullish(),
    published_at: z.string().nullish(),
  }),
})

/** GitHub tells one release up to three times (created, published, released): the notes are shown with one of them. */
const WITH_NOTES = new Set(['published', 'edited'])

export function mapRelease({ action, release: made, repository: repo, sender }: z.infer<typeof release>): Happening {
  const thing = makeThing({
    type: 'release',
    id: made.tag_name,
    title: made.name?.trim() || made.tag_name,
    url: made.html_url,
  })
  const verb = action === 'edited' ? 'updated' : asVerb(action)
  return {
    actorName: actorOf(sender),
    input: {
      verb,
      object: action === 'deleted' ? withoutPage(thing) : thing,
      target: repositoryThing(repo),
      summary: WITH_NOTES.has(action) ? prose(made.body) : '',
      metadata: { tag: thing.id },
      groupKey: groupKey('release', repo.full_name, made.tag_name),
      ...occurred(made.published_at ?? made.created_at),
    },
  }
}
