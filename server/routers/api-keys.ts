import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { createKeyInput, revokeKeyInput } from '#shared/api-key.ts'

export const apiKeysRouter = ({ manageKeys }: AppServices) =>
  router({
    list: personProcedure.query(({ ctx }) => manageKeys.list(ctx.person.id)),
    create: personProcedure.input(createKeyInput).mutation(({ ctx, input }) => manageKeys.create(ctx.person.id, input)),
    revoke: personProcedure
      .input(revokeKeyInput)
      .mutation(({ ctx, input }) => manageKeys.revoke(ctx.person.id, input.id)),
  })
