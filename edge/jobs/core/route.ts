// What a request below `/v1/<project>/jobs` is about.

export type JobsRoute = { project: string; action: Action }
export type Action = (typeof ACTIONS)[keyof typeof ACTIONS]

const ACTIONS = {
  'POST ': 'hand-in',
  'GET /status': 'status',
  'GET /config': 'get-config',
  'PUT /config': 'put-config',
  'POST /rebalance': 'rebalance',
  'POST /drain': 'drain',
  'POST /complete': 'complete',
  'POST /renew': 'renew',
  'GET /dead': 'list-dead',
  'POST /dead/replay': 'replay-dead',
  'POST /dead/discard': 'discard-dead',
} as const

const PATH = /^\/v1\/([a-zA-Z0-9_-]{1,64})\/jobs((?:\/[a-z]+){0,2})$/

export function parseJobsRoute(method: string, path: string): JobsRoute | null {
  const [, project, rest] = PATH.exec(path) ?? []
  if (project === undefined || project === 'stream') return null
  const action = ACTIONS[`${method} ${rest}` as keyof typeof ACTIONS]
  return action === undefined ? null : { project, action }
}
