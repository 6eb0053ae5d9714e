// Every example that GitHub's webhooks project publishes of the mapped events, from github.com and from GitHub's server
// product, becomes an activity that a person can read.
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PublishInput, publishInput } from '#shared/activity.ts'
import { type GithubActivity, mapGithubEvent } from './map-github-event.ts'

type Example = Record<string, unknown> & { action?: string }
type Examples = { name: string; examples: Example[] }[]

const EVENTS = ['push', 'pull_request', 'issues', 'issue_comment', 'release', 'workflow_run']
const PLACES = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35']

const load = createRequire(import.meta.url)
const catalogue = PLACES.map((place): Examples => load(`@octokit/webhooks-examples/${place}/index.json`))
const examplesOf = (event: string) =>
  catalogue.flatMap((examples) => examples.find(({ name }) => name === event)?.examples ?? [])

function mapped(event: string, payload: unknown): GithubActivity {
  const result = mapGithubEvent(event, payload)
  if (!result.ok || !result.value) throw new Error(`${event} was not mapped: ${JSON.stringify(result)}`)
  return result.value
}

const sentence = ({ actorName, input: { verb, object, target } }: GithubActivity) =>
  [actorName, verb, object?.title, '|', target?.title].join(' ')

const first = (event: string, test: (example: Example) => boolean): Example => {
  const found = examplesOf(event).find(test)
  if (!found) throw new Error(`no such example of ${event}`)
  return structuredClone(found)
}

describe('GitHub events as activities', () => {
  it.each(EVENTS)('[FEED-11] every example of %s says who did what to which thing, with links', (event) => {
    const examples = examplesOf(event)
    expect(examples.length).toBeGreaterThan(4)
    for (const example of examples) {
      const { actorName, input } = mapped(event, example)
      expect(publishInput.safeParse({ ...input, topic: 'a/b' }).success).toBe(true)
      expect(actorName).toMatch(/^\S.{0,79}$/)
      expect(input.verb).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(input.object?.title).toMatch(/\S/)
      expect(input.target?.url).toMatch(/^https?:\/\//)
      const gone = example.deleted === true || (example.action === 'deleted' && event !== 'issue_comment')
      expect(input.object?.url === undefined).toBe(gone)
      expect(sentence({ actorName, input })).not.toMatch(/undefined|null|\[object/)
    }
  })

  it('[FEED-11] every published kind of event is either mapped or left out, none is an error', () => {
    const names = new Set(catalogue.flatMap((examples) => examples.map(({ name }) => name)))
    expect(names.size).toBeGreaterThan(50)
    for (const name of names)
      for (const example of examplesOf(name)) {
        const result = mapGithubEvent(name, example)
        expect(result.ok && result.value !== null).toBe(EVENTS.includes(name))
      }
    expect(mapGithubEvent('constructor', {})).toEqual({ ok: true, value: null })
  })

  it.each<[string, (example: Example) => boolean, string]>([
    ['push', (one) => one.ref === 'refs/heads/master', 'Codertocat pushed 1 commit | master in Codertocat/Hello-World'],
    ['push', (one) => one.created === true, 'Codertocat created tag simple-tag | Codertocat/Hello-World'],
    ['push', (one) => one.deleted === true, 'Codertocat deleted tag simple-tag | Codertocat/Hello-World'],
    [
      'pull_request',
      (one) => one.action === 'opened',
      'Codertocat opened #2 Update the README with new information. | Codertocat/Hello-World',
    ],
    [
      'issues',
      (one) => one.action === 'assigned',
      'Codertocat assigned #1 Spelling error in the README file | Codertocat',
    ],
    [
      'issue_comment',
      (one) => one.action === 'created',
      'Codertocat commented #1 Spelling error in the README file | Codertocat/Hello-World',
    ],
    ['release', (one) => one.action === 'published', 'Codertocat published 0.0.1 | Codertocat/Hello-World'],
  ])('[FEED-11] %s reads as a sentence (%#)', (event, test, expected) => {
    expect(sentence(mapped(event, first(event, test)))).toBe(expected)
  })

  it('[FEED-11] a merged pull request is merged, one that was only closed is closed', () => {
    const closed = first('pull_request', ({ action }) => action === 'closed')
    const pull = closed.pull_request as object
    const verbOf = (merged: boolean) =>
      mapped('pull_request', { ...closed, pull_request: { ...pull, merged } }).input.verb
    expect([verbOf(true), verbOf(false)]).toEqual(['merged', 'closed'])
  })

  it('[FEED-11] what the sentence leaves open stands below it', () => {
    const summaryOf = (event: string, wanted: string) =>
      mapped(
        event,
        first(event, ({ action }) => action === wanted),
      ).input.summary
    expect(summaryOf('issues', 'labeled')).toMatch(/^Label: \S/)
    expect(summaryOf('issues', 'milestoned')).toMatch(/^Milestone: \S/)
    expect(summaryOf('issues', 'transferred')).toMatch(/^Now \S+\/\S+#\d+$/)
    expect(summaryOf('pull_request', 'review_requested')).toMatch(/^Reviewer: \S/)
    expect(summaryOf('issue_comment', 'created')).toMatch(/\w/)
    expect(summaryOf('issue_comment', 'deleted')).toBe('')
  })

  it('[FEED-11] a push keeps the newest twenty commits, newest first, with the first line of what they say', () => {
    const push = first('push', ({ ref }) => ref === 'refs/heads/master')
    const commits = Array.from({ length: 300 }, (_, i) => ({
      id: String(i).padStart(40, '0'),
      message: `${i} ${'長'.repeat(500)}\n\nmore`,
      url: `https://github.example/${'x'.repeat(200)}/${i}`,
    }))
    const { input } = mapped('push', { ...push, commits, forced: true })
    expect(input.object?.title).toBe('300 commits')
    const kept = input.metadata.commits as { id: string; title: string; url: string }[]
    expect(kept).toHaveLength(20)
    expect(kept[0]).toMatchObject({ id: commits[299]!.id, url: commits[299]!.url })
    expect(kept[0]!.title).not.toContain('more')
    expect(input.summary).toContain('Forced')
  })

  it.each([
    ['success', 'passed'],
    ['failure', 'failed'],
    ['timed_out', 'failed'],
    ['cancelled', 'cancelled'],
    ['constructor', 'finished'],
    [null, 'finished'],
  ])('[FEED-11] a run that ended with %s is said by the workflow as %s', (conclusion, verb) => {
    const example = first('workflow_run', ({ action }) => action === 'completed')
    const run = { ...(example.workflow_run as object), name: 'Build', head_branch: 'fix/a b', conclusion }
    const { actorName, input } = mapped('workflow_run', { ...example, workflow_run: run })
    expect([actorName, input.verb, input.target?.url?.split('/tree/')[1]]).toEqual(['Build', verb, 'fix/a%20b'])
  })

  it('[FEED-11] a payload without what we need is refused by the name of what is missing', () => {
    const example = first('issues', ({ action }) => action === 'opened')
    const { sender: _, ...rest } = example
    expect(mapGithubEvent('issues', rest)).toMatchObject({ ok: false, code: 'INVALID_INPUT', field: 'sender' })
    expect(mapGithubEvent('push', null)).toMatchObject({ ok: false, field: 'body' })
  })

  it('[FEED-11] whatever people write in titles, names and texts, the activity is valid', () => {
    const issue = first('issues', ({ action }) => action === 'opened')
    const push = first('push', ({ ref }) => ref === 'refs/heads/master')
    const words = fc.string({ unit: 'binary', maxLength: 5_000 })
    const odd = fc.oneof(words, fc.constantFrom('', '\u0000', '\ud800', ' \n ', '<!-- a --', '\u202eabc', '@ada'))
    fc.assert(
      fc.property(odd, odd, odd, odd, (title, body, login, ref) => {
        const inputs: GithubActivity[] = [
          mapped('issues', {
            ...issue,
            sender: { login },
            issue: { ...(issue.issue as object), title, body, html_url: ref },
          }),
          mapped('push', {
            ...push,
            ref: `refs/heads/${ref}`,
            compare: body,
            commits: [{ id: title, message: body, url: login }],
          }),
        ]
        for (const { actorName, input } of inputs) {
          expect(actorName.trim()).not.toBe('')
          expect(publishInput.safeParse({ ...input, topic: 'a/b' } satisfies PublishInput).success).toBe(true)
        }
      }),
    )
  })
})
