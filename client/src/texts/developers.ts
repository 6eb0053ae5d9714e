// Every English word of the developers' page itself.

export const developerTexts = {
  title: 'Developers',
  hint: 'Let your tools post, and hear about every activity.',
  examples: {
    title: 'Post your first activity',
    label: 'Ways to post',
    curl: 'curl',
    cloudEvents: 'CloudEvents',
    github: 'GitHub',
    typescript: 'TypeScript',
    copy: 'Copy',
    key: 'Put the key into the environment first: export SIGNAL_KEY=sf_…',
    githubNote: 'Make a key for a GitHub repository, then enter its address and secret there under Settings, Webhooks.',
    once: 'Sent twice with one idempotency key, it is stored once.',
  },
}
