// What tools asked of us lately, as the owner of their keys sees it.
import { z } from 'zod'

/** As many as are kept for a person. */
export const REQUESTS_KEPT = 100

/** One request of a tool. */
export const requestEntry = z.object({
  id: z.string(),
  at: z.number(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  tookMs: z.int(),
  key: z.string(),
  /** In a few words: how many were stored, or what was wrong. */
  note: z.string(),
})

export type RequestEntry = z.infer<typeof requestEntry>
