// The addresses of our pages, in one place.

export const places = {
  all: '/',
  mentions: '/?filter=mentions',
  topics: '/topics',
  search: (q: string) => (q === '' ? '/search' : `/search?q=${encodeURIComponent(q)}`),
  settings: '/settings',
  developers: '/developers',
  signUp: '/sign-up',
  ops: '/ops',
  activity: (id: number) => `/a/${id}`,
  topic: (name: string) => `/t/${name}`,
  topicSettings: (name: string) => `/t/${name}/settings`,
  signIn: (back: string) => (back === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(back)}`),
}

/** Where to go after signing in. Only our own pages: `next` is in the address, so anybody may have written it. */
export function safeNext(next: string | null): string {
  if (next === null || !/^\/(?![/\\])/.test(next) || /^\/sign-(in|up)\b/.test(next)) return '/'
  return next
}

/** `project/apollo` as its quiet first half and its name. */
export function splitTopic(topic: string): { kind: string; name: string } {
  const slash = topic.indexOf('/')
  return { kind: topic.slice(0, slash + 1), name: topic.slice(slash + 1) }
}
