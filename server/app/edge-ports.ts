// What the edge needs from the rest, and the rest from the edge: how far each topic is there, and who may write.

/** How far each topic has been sent to the edge, as far as we know. The edge's own word is the last one. */
export type EdgeCursors = {
  get: (topicIds: number[]) => Promise<Map<number, number>>
  /** Never backwards. */
  advance: (topicId: number, seq: number) => Promise<void>
  /** The edge has less than we thought. */
  rewind: (topicId: number, seq: number) => Promise<void>
  /** The edge will not take this one. */
  refuse: (topicId: number, seq: number, reason: string) => Promise<void>
  /** Of these, what the edge refused, and why. */
  refusals: (topicId: number, seqs: number[]) => Promise<Map<number, string>>
}

export type TopicLease = {
  /** Null when somebody else has it. */
  acquire: (topicId: number, ms: number) => Promise<{ release: () => Promise<void> } | null>
}

export type EdgeEvent = { seq: number; body: string }

/** `elsewhere`: nothing was taken, the stream ends with another seq, or with none. `missing`: there is no such stream. */
export type EdgeAnswer = { is: 'sent' } | { is: 'elsewhere'; at: number | null } | { is: 'missing' }

/** The edge's topic streams. */
export type EdgeStreams = {
  /** Appends all of them or none, and only where the last seq there is `after`. Throws AnswerFailure for what it refuses. */
  send: (topicId: number, after: number | null, events: EdgeEvent[], signal: AbortSignal) => Promise<EdgeAnswer>
  create: (topicId: number, signal: AbortSignal) => Promise<void>
}
