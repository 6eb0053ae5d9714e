// Topics: create, settings, members, follows. What other readers must see in order becomes an event of the topic; what
// concerns one person only goes to that person's connections.
import { AppError, noSuchTopic } from '#shared/errors.ts'
import type { Person } from '#shared/person.ts'
import type { CreateTopicInput, MemberRole, MemberView, TopicView, UpdateTopicInput } from '#shared/topic.ts'
import type { PersonalBus } from './log-ports.ts'
import type { ChangeOutcome, PeopleStore, TopicEdit, TopicRef, TopicStore } from './ports.ts'
import type { ReadStore } from './read-ports.ts'
import type { Relay } from './relay-outbox.ts'

type Deps = {
  topics: TopicStore
  people: PeopleStore
  reads: Pick<ReadStore, 'forget'>
  bus: Pick<PersonalBus, 'send'>
  relay: Pick<Relay, 'append'>
  /** What this process remembers of a person's follows, or of everybody's (null), is old now. */
  followsChanged: (userId: string | null) => void
  /** The change is stored; the sweep repeats what could not be told at once. */
  onTellError: (error: unknown) => void
}

export type ChangeTopics = ReturnType<typeof createChangeTopics>

export function createChangeTopics({ topics, people, reads, bus, relay, followsChanged, onTellError }: Deps) {
  const need = async (viewer: string, name: string): Promise<TopicRef> => {
    const topic = await topics.find(viewer, name)
    if (!topic) throw noSuchTopic()
    return topic
  }

  const view = async (viewer: string, name: string): Promise<TopicView> => {
    const topic = await topics.view(viewer, name)
    if (!topic) throw noSuchTopic()
    return topic
  }

  const tellFollows = async (userId: string): Promise<void> => {
    followsChanged(userId)
    try {
      await bus.send({ type: 'follows', userId })
    } catch (error) {
      onTellError(error)
    }
  }

  async function change(
    topic: TopicRef,
    actor: string,
    edit: TopicEdit,
  ): Promise<Extract<ChangeOutcome, { outcome: 'changed' | 'unchanged' }>> {
    const outcome = await topics.change(topic.id, actor, edit)
    switch (outcome.outcome) {
      case 'hidden':
        throw noSuchTopic()
      case 'not-owner':
        throw new AppError('NOT_ALLOWED', 'Only owners of the topic may do this.')
      case 'last-owner':
        throw new AppError('LAST_OWNER', 'A topic needs an owner: make somebody else one first.', { field: 'handle' })
      case 'unchanged':
        return outcome
    }
    followsChanged(edit.kind === 'member' ? edit.person.id : null)
    const { seq, change: event } = outcome
    try {
      await relay.append([
        { topicId: topic.id, seq, log: { kind: 'update', event: { topic: topic.id, seq, change: event } } },
      ])
    } catch (error) {
      onTellError(error)
    }
    return outcome
  }

  const person = async (handle: string): Promise<Person> => {
    const found = await people.byHandle(handle)
    if (!found) throw new AppError('NOT_FOUND', 'There is nobody with this handle.', { field: 'handle' })
    return found
  }

  return {
    list: (viewer: string) => topics.list(viewer),

    async get(viewer: string, name: string): Promise<TopicView & { members: MemberView[] }> {
      const topic = await view(viewer, name)
      const members = await topics.members(topic.id)
      return { ...topic, members: topic.role ? members : members.filter(({ role }) => role === 'owner') }
    },

    async create(owner: Person, input: CreateTopicInput): Promise<TopicView> {
      // `user/…` belongs to the person of that name and is made with the account.
      if (input.name.startsWith('user/') && input.name !== `user/${owner.handle}`)
        throw new AppError('NOT_ALLOWED', 'Topics under user/ belong to people.', { field: 'name' })
      const topic = await topics.create(owner, input)
      if (!topic) throw new AppError('NAME_TAKEN', 'This name is taken.', { field: 'name' })
      await tellFollows(owner.id)
      return view(owner.id, topic.name)
    },

    async update(viewer: string, { topic: name, ...edit }: UpdateTopicInput): Promise<TopicView> {
      const topic = await need(viewer, name)
      await change(topic, viewer, {
        kind: 'settings',
        ...(edit.description === undefined ? {} : { description: edit.description }),
        ...(edit.visibility === undefined ? {} : { visibility: edit.visibility }),
        ...(edit.posting === undefined ? {} : { posting: edit.posting }),
      })
      return view(viewer, name)
    },

    async setMember(viewer: string, input: { topic: string; handle: string; role: MemberRole }) {
      const topic = await need(viewer, input.topic)
      const outcome = await change(topic, viewer, {
        kind: 'member',
        person: await person(input.handle),
        state: input.role,
      })
      return { seq: outcome.outcome === 'changed' ? outcome.seq : null }
    },

    async removeMember(viewer: string, input: { topic: string; handle: string }) {
      const topic = await need(viewer, input.topic)
      const removed = await person(input.handle)
      const outcome = await change(topic, viewer, { kind: 'member', person: removed, state: 'removed' })
      await tellFollows(removed.id)
      return { seq: outcome.outcome === 'changed' ? outcome.seq : null }
    },

    async follow(viewer: string, name: string) {
      const topic = await need(viewer, name)
      const followsVersion = await topics.follow(viewer, topic.id)
      await tellFollows(viewer)
      return { followsVersion }
    },

    async unfollow(viewer: string, name: string) {
      const topic = await need(viewer, name)
      const { version: followsVersion, follow } = await topics.unfollow(viewer, topic.id)
      if (follow !== null) await reads.forget(viewer, topic.id, follow)
      await tellFollows(viewer)
      return { followsVersion }
    },

    async mute(viewer: string, name: string, muted: boolean) {
      const topic = await need(viewer, name)
      const followsVersion = await topics.mute(viewer, topic.id, muted)
      if (followsVersion === null) throw new AppError('NOT_FOUND', 'You do not follow this topic.', { field: 'topic' })
      await tellFollows(viewer)
      return { followsVersion }
    },

    async complete(viewer: string, query: { q: string; topic?: string | undefined }): Promise<Person[]> {
      const topic = query.topic === undefined ? null : await need(viewer, query.topic)
      return people.complete({ viewer, prefix: query.q.toLowerCase(), topicId: topic?.id ?? null, limit: 8 })
    },

    rename: (id: string, name: string) => people.rename(id, name),
  }
}
