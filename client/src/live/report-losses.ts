import type { Losses } from './ledger.ts'

/** True when the server has counted them. Goes on when the page is closed meanwhile. */
export async function reportLosses(send: typeof fetch, report: Losses): Promise<boolean> {
  const answer = await send('/api/trpc/live.report', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
    keepalive: true,
  })
  return answer.ok
}
