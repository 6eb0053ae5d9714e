import { z } from 'zod'
import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import type { EdgeSession } from '#shared/edge-session.ts'
import { lossReport, renderReport } from '#shared/feed.ts'

const edgeSessionInput = z.object({ session: z.uuid().optional() })

export const liveRouter = ({ reportLoss, reportRendered, edgeSessions }: AppServices) =>
  router({
    /** A session at the edge for this browser, or the one it has, prolonged: a token that reads its stream for a while. */
    session: personProcedure
      .input(edgeSessionInput)
      .mutation(
        async ({ ctx: { person, loginSession }, input }): Promise<EdgeSession> =>
          edgeSessions === null ? { state: 'off' } : edgeSessions.open(person.id, loginSession, input.session ?? null),
      ),
    /** What the client saw go wrong since its last report. */
    report: personProcedure.input(lossReport).mutation(({ input }) => reportLoss(input)),
    rendered: personProcedure.input(renderReport).mutation(({ input }) => reportRendered(input.ms)),
  })
