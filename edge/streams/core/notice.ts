// What a stream's object tells the Workers that hold its live readers, over their sockets. A notice is a hint: who has
// not exactly `from` reads from the stream, so lost, repeated and overtaken notices do no harm.
import { z } from 'zod'

export const noticeSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('appended'),
    from: z.number(),
    to: z.number(),
    closed: z.boolean(),
    /** The bytes in between, when they are short text. */
    text: z.string().optional(),
  }),
  z.object({ type: z.literal('gone') }),
])

export type Notice = z.infer<typeof noticeSchema>
export type Appended = Extract<Notice, { type: 'appended' }>

/** What a reader at `position` does with it. */
export type NoticeMeaning = { do: 'nothing' } | { do: 'write'; text: string } | { do: 'read' }

export function meaningFor(position: number, notice: Appended): NoticeMeaning {
  if (notice.to < position || (notice.to === position && !notice.closed)) return { do: 'nothing' }
  if (notice.from === position && notice.to > position && notice.text !== undefined)
    return { do: 'write', text: notice.text }
  return { do: 'read' }
}
