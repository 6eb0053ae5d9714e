// Hands jobs to the edge's partitions (docs/JOBS.md). What was taken stays taken, so a request that was refused in part is
// simply sent again later as a whole. What partitions send to us is signed with the key that we share.
import { jwtVerify } from 'jose'
import type { JobTaker } from '#server/app/webhook-ports.ts'
import type { Clock } from '#shared/clock.ts'
import { checkReply, type EdgeCaller } from './edge-caller.ts'
import { EDGE_PROJECT, type EdgeKey } from './edge-keys.ts'

const AUDIENCE = 'signal-feed-origin'
const SCOPE = 'egress'
/** How far the clocks of two machines may differ. */
const LEEWAY_SECONDS = 30

export const createEdgeJobs = (call: EdgeCaller): JobTaker => ({
  submit: async (jobs) => checkReply(await call({ method: 'POST', path: '/jobs', body: JSON.stringify(jobs) }), 'jobs'),
})

/** Whether a token was made by the job partitions for calling us, and has not ended. */
export function createEgressCheck({ k, alg }: EdgeKey, clock: Clock): (token: string) => Promise<boolean> {
  const secret = Buffer.from(k, 'base64url')
  return async (token) => {
    const currentDate = new Date(clock.now())
    try {
      const { payload } = await jwtVerify(token, secret, {
        ...{ algorithms: [alg], audience: AUDIENCE, clockTolerance: LEEWAY_SECONDS, currentDate },
        requiredClaims: ['exp'],
      })
      return payload.scope === SCOPE && payload.project === EDGE_PROJECT
    } catch {
      // Forged, ended or garbled: the caller learns only that it is not let in.
      return false
    }
  }
}
