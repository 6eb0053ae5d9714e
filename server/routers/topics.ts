import type { AppServices } from '#server/services.ts'
import { personProcedure, router } from '#server/trpc.ts'
import { createTopicInput, updateTopicInput } from '#shared/topic.ts'
import { muteInput, removeMemberInput, setMemberInput, topicInput } from './inputs.ts'

export const topicsRouter = ({ changeTopics: topics }: AppServices) =>
  router({
    list: personProcedure.query(({ ctx }) => topics.list(ctx.person.id)),
    get: personProcedure.input(topicInput).query(({ ctx, input }) => topics.get(ctx.person.id, input.topic)),
    create: personProcedure.input(createTopicInput).mutation(({ ctx, input }) => topics.create(ctx.person, input)),
    update: personProcedure.input(updateTopicInput).mutation(({ ctx, input }) => topics.update(ctx.person.id, input)),
    follow: personProcedure.input(topicInput).mutation(({ ctx, input }) => topics.follow(ctx.person.id, input.topic)),
    unfollow: personProcedure
      .input(topicInput)
      .mutation(({ ctx, input }) => topics.unfollow(ctx.person.id, input.topic)),
    mute: personProcedure
      .input(muteInput)
      .mutation(({ ctx, input }) => topics.mute(ctx.person.id, input.topic, input.muted)),
    members: router({
      set: personProcedure.input(setMemberInput).mutation(({ ctx, input }) => topics.setMember(ctx.person.id, input)),
      remove: personProcedure
        .input(removeMemberInput)
        .mutation(({ ctx, input }) => topics.removeMember(ctx.person.id, input)),
    }),
  })
