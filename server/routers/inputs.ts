// Inputs that only the API needs.
import { z } from 'zod'
import { displayName, handle } from '#shared/person.ts'
import { memberRole, topicName } from '#shared/topic.ts'

export const topicInput = z.strictObject({ topic: topicName })
export const muteInput = z.strictObject({ topic: topicName, muted: z.boolean() })
export const setMemberInput = z.strictObject({ topic: topicName, handle, role: memberRole })
export const removeMemberInput = z.strictObject({ topic: topicName, handle })
export const completeInput = z.strictObject({ q: z.string().max(50), topic: topicName.optional() })
export const renameInput = z.strictObject({ name: displayName })
export const undoInput = z.strictObject({ undo: z.uuid() })
export const botInput = z.strictObject({ running: z.boolean() })
