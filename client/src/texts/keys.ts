// Every English word of the page on which keys of tools are made and revoked.
import type { KeyKind } from '#shared/api-key.ts'

export const keyTexts = {
  title: 'API keys',
  short: 'stored hashed, shown once',
  create: 'New key',
  list: 'Your keys',
  none: 'No keys yet',
  noneHint:
    'A key lets a script, a build server or a GitHub repository publish to topics of your choice. It can never do more than you can.',
  kind: { bearer: 'Key', github: 'GitHub' } satisfies Record<KeyKind, string>,
  made: (when: string) => `made ${when}`,
  used: (when: string) => `last used ${when}`,
  unused: 'never used',
  revoke: 'Revoke',
  revokeNamed: (name: string) => `Revoke ${name}`,
  revokeAsk: (name: string) => `Revoke ${name}?`,
  revokeHint: 'What uses it can no longer publish, at once and for good. What it published stays.',
  revoked: (name: string) => `${name} is revoked.`,

  form: {
    title: 'New key',
    kind: 'Who uses it',
    bearer: 'A script or service',
    bearerHint: 'Sends activities or CloudEvents with the key.',
    github: 'A GitHub repository',
    githubHint: 'Pushes, pull requests, issues, releases and runs of workflows.',
    name: 'Name',
    nameHint: 'Its activities carry this name, such as Build server.',
    topics: 'Topics it may publish to',
    topic: 'Topic it publishes to',
    filter: 'Filter topics',
    noTopics: 'There is no topic that you may publish to.',
    noMatch: (q: string) => `No topic with "${q}" in its name.`,
    chosen: (n: number) => (n === 1 ? '1 chosen' : `${n} chosen`),
    button: 'Make key',
  },

  ready: {
    title: (name: string) => `${name} is ready`,
    once: 'This is shown once. Keep it where your tool finds it, and nowhere else.',
    key: 'Key',
    secret: 'Secret',
    address: 'Payload URL',
    example: 'Try it',
    github:
      'In the repository, open Settings, Webhooks, Add webhook. Enter both, choose application/json and the events you want.',
    copy: (what: string) => `Copy ${what}`,
    copied: 'Copied.',
    copyFailed: 'The browser did not allow copying. Select the text instead.',
    done: 'Done',
  },
}
