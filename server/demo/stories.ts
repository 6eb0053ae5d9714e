// What the demo's people and tools talk about. Each story is one activity as somebody would really publish it.

import type { PublishInput } from '#shared/activity.ts'
import type { Random } from '#shared/clock.ts'

export const DEMO_TOPICS = [
  {
    name: 'project/apollo',
    description: 'The delivery service: from commit to screen in half a second.',
    owner: 'ada',
    visibility: 'public',
  },
  {
    name: 'project/hermes',
    description: 'Messages between services, and the tools around them.',
    owner: 'grace',
    visibility: 'public',
  },
  { name: 'infra/deploys', description: 'Every deployment, wherever it goes.', owner: 'ken', visibility: 'public' },
  {
    name: 'team/platform',
    description: 'Plans, questions and decisions of the platform team.',
    owner: 'barbara',
    visibility: 'public',
  },
  {
    name: 'team/design',
    description: 'Screens, words and the spaces between them.',
    owner: 'margaret',
    visibility: 'public',
  },
  {
    name: 'team/incidents',
    description: 'What broke, who is on it, what we learned.',
    owner: 'ada',
    visibility: 'private',
    members: ['grace', 'linus', 'ken'],
  },
  {
    name: 'team/hiring',
    description: 'Candidates and interviews.',
    owner: 'margaret',
    visibility: 'private',
    members: ['ada'],
  },
  { name: 'bots/dependencies', description: 'Version bumps, all of them.', owner: 'ken', visibility: 'public' },
] as const

export type Story = { by: { person: string } | { tool: string }; input: PublishInput }

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!
const between = (low: number, high: number, random: Random) => low + Math.floor(random() * (high - low + 1))

const PEOPLE = ['ada', 'grace', 'linus', 'barbara', 'ken', 'margaret'] as const
const BRANCHES = ['main', 'fix/live-cursor', 'feat/ring', 'chore/lint'] as const
const COMMITS = [
  'Close slow readers with their position intact',
  'Bound the send buffer by bytes, not by messages',
  'Take the cursor before the snapshot',
  'Frame once, write many',
  'Name the topic in the error',
  'Test: a cut in the middle of a frame',
  'Drop the second index nobody used',
] as const
const ISSUES = [
  'Feed skips an item after a reset',
  'Sidebar counts drift by one',
  'Composer loses focus on phones',
  'Slow first page for people with many topics',
  'Dark theme: the dot is hard to see',
] as const
const POSTS = [
  'Load test tonight at 18:00: ten thousand browsers, then we pull the plug and watch.',
  'The new empty state is up for review. Fewer words, one clear next step.',
  'Resume works on the train: two tunnels, nothing missing, nothing twice.',
  'I wrote down why positions carry an epoch. Please tell me where it is unclear.',
  'Lunch talk on Thursday: what a bitmap costs when nobody looks.',
  'Release notes are drafted. Anything user-visible that I forgot?',
] as const

export function tellStory(random: Random): Story {
  const issue = `#${between(40, 60, random)}`
  const title = pick(ISSUES, random)
  const thing = { type: 'issue', id: issue, title: `${issue} ${title}` }
  const base = { metadata: {}, summary: '' }
  switch (between(0, 7, random)) {
    case 0:
    case 1:
      return {
        by: { person: pick(PEOPLE, random) },
        input: {
          ...base,
          topic: pick(['team/platform', 'team/design', 'project/apollo'], random),
          verb: 'posted',
          summary: pick(POSTS, random),
        },
      }
    case 2: {
      const commits = Array.from({ length: between(1, 3, random) }, () => ({
        id: between(0x1000000, 0xfffffff, random).toString(16),
        title: pick(COMMITS, random),
      }))
      const branch = pick(BRANCHES, random)
      return {
        by: { person: pick(PEOPLE, random) },
        input: {
          ...base,
          topic: pick(['project/apollo', 'project/hermes'], random),
          verb: 'pushed',
          object: {
            type: 'commits',
            id: commits[0]!.id,
            title: commits.length === 1 ? '1 commit' : `${commits.length} commits`,
          },
          target: { type: 'branch', id: branch, title: branch },
          metadata: { commits },
        },
      }
    }
    case 3: {
      const failed = random() < 0.4
      return {
        by: { tool: 'CI' },
        input: {
          ...base,
          topic: 'project/apollo',
          verb: failed ? 'failed' : 'passed',
          object: { type: 'workflow', id: 'e2e', title: 'e2e' },
          target: { type: 'branch', id: 'main', title: 'main' },
          metadata: failed
            ? {
                failed: 1,
                total: 214,
                test: 'resume.spec.ts › goes on after Redis restarts',
                seconds: between(120, 400, random),
              }
            : { total: 214, seconds: between(120, 400, random) },
        },
      }
    }
    case 4: {
      const version = `2.${between(10, 20, random)}.${between(0, 9, random)}`
      return {
        by: { tool: 'Deploy' },
        input: {
          ...base,
          topic: 'infra/deploys',
          verb: 'deployed',
          object: { type: 'release', id: version, title: `apollo ${version}` },
          target: { type: 'environment', id: 'production', title: 'production' },
          metadata: { seconds: between(60, 200, random) },
        },
      }
    }
    case 5: {
      const mentioned = pick(PEOPLE, random)
      return {
        by: {
          person: pick(
            PEOPLE.filter((one) => one !== mentioned),
            random,
          ),
        },
        input: {
          ...base,
          topic: pick(['project/apollo', 'project/hermes'], random),
          verb: 'commented',
          object: thing,
          summary: `@${mentioned} ${pick(['can you check the trim path?', 'this looks like the one from Monday.', 'your call: now or after the release?'], random)}`,
          groupKey: `issue:${issue}`,
        },
      }
    }
    case 6:
      return {
        by: { person: pick(PEOPLE, random) },
        input: {
          ...base,
          topic: pick(['project/apollo', 'project/hermes'], random),
          verb: pick(['opened', 'closed', 'merged'], random),
          object: thing,
          metadata: { added: between(3, 300, random), removed: between(0, 120, random) },
        },
      }
    default:
      return random() < 0.5
        ? {
            by: { person: pick(['ada', 'grace', 'ken'] as const, random) },
            input: {
              ...base,
              topic: 'team/incidents',
              verb: 'posted',
              summary: pick(
                [
                  'Queue depth is back to normal. Watching for another hour.',
                  'Paging stopped at 03:12. Notes follow in the morning.',
                  'Cause found: a retry without a ceiling.',
                ],
                random,
              ),
            },
          }
        : {
            by: { tool: 'Dependencies' },
            input: {
              ...base,
              topic: 'bots/dependencies',
              verb: 'opened',
              object: {
                type: 'pull-request',
                id: issue,
                title: `${issue} Bump a parser to ${between(3, 9, random)}.${between(0, 20, random)}.0`,
              },
            },
          }
  }
}
