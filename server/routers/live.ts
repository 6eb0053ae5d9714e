import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { lossReport, renderReport } from '#shared/feed.ts'

export const liveRouter = ({ reportLoss, reportRendered }: AppServices) =>
  router({
    /** What the client saw go wrong since its last report. */
    report: personProcedure.input(lossReport).mutation(({ input }) => reportLoss(input)),
    rendered: personProcedure.input(renderReport).mutation(({ input }) => reportRendered(input.ms)),
  })
