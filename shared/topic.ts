// Topics: their names, settings and what a reader sees of them.
import { z } from 'zod'

/** `project/apollo`: a kind and a name, lower case, so that one topic has one spelling. */
export const topicName = z
  .string()
  .max(80, 'At most 80 characters.')
  .regex(/^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9._-]*$/, 'Use kind/name in lower case, such as project/apollo.')

export const visibility = z.enum(['public', 'private'])
/** Who may publish: everybody who sees the topic, or its owners only (personal topics such as user/ada). */
export const posting = z.enum(['everyone', 'owners'])
export const memberRole = z.enum(['owner', 'member'])

export type Visibility = z.infer<typeof visibility>
export type Posting = z.infer<typeof posting>
export type MemberRole = z.infer<typeof memberRole>

const description = z.string().trim().max(500, 'At most 500 characters.')

export const createTopicInput = z.strictObject({
  name: topicName,
  description: description.default(''),
  visibility: visibility.default('public'),
  posting: posting.default('everyone'),
})

export const updateTopicInput = z.strictObject({
  topic: topicName,
  description: description.optional(),
  visibility: visibility.optional(),
  posting: posting.optional(),
})

export type CreateTopicInput = z.infer<typeof createTopicInput>
export type UpdateTopicInput = z.infer<typeof updateTopicInput>

/** A topic as one person sees it. */
export type TopicView = {
  id: number
  name: string
  description: string
  visibility: Visibility
  posting: Posting
  following: boolean
  muted: boolean
  /** The person's own role, or null when they are not a member. */
  role: MemberRole | null
  mayPost: boolean
  followers: number
  /** The number of the newest activity: how many there have ever been. */
  headNo: number
  latestAt: string | null
}

export type MemberView = { id: string; handle: string; name: string; role: MemberRole }
