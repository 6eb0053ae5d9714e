// What the edge needs from the rest, and the rest from the edge: how far each topic is there, and who may write.

/** How far each topic has been sent to the edge, as far as we know. The edge's own word is the last one. */
export type EdgeCursors = {
  get: (topicIds: number[]) => Promise<Map<number, number>>
  /** Never backwards. */
  advance: (topicId: number, seq: number) => Promise<void>
  /** The edge has less than we thought. */
  rewind: (topicId: number, seq: number) => Promise<void>
  /** Whether the edge still lacks something that was stored before this moment. */
  isBehind: (before: Date) => Promise<boolean>
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

/** What a session at the edge is to listen to. The topics of one version are always the same. */
export type EdgePlan = {
  id: string
  userId: string
  version: number
  topics: number[]
  /** What the edge has confirmed before; null: nothing yet. */
  appliedVersion: number | null
}

/** The sessions that people have at the edge, as they are to be there. */
export type EdgeSessionStore = {
  /**
   * Takes up the session of that id, or a new one when it is not this sign-in's, and notes what it may hold from now on, so
   * that nothing is told to the edge that a withdrawal would not find. Null when the sign-in is over.
   */
  open: (wish: { id: string; freshId: string; userId: string; loginSession: string }) => Promise<EdgePlan | null>
  /** The same for one that exists; null when it is over, or its sign-in is. */
  plan: (id: string) => Promise<EdgePlan | null>
  /** The edge has it. */
  applied: (plan: EdgePlan) => Promise<void>
  isLive: (id: string) => Promise<boolean>
  of: (userId: string) => Promise<string[]>
  ofLogin: (loginSession: string) => Promise<string[]>
  /** Sessions that may hold the topic and whose person may not see it. */
  withoutRights: (topicId: number) => Promise<string[]>
  /** Of those that do not fit what should be, some that nobody has looked after lately; they are ours for a moment. */
  claim: (limit: number) => Promise<string[]>
  /** Whoever looks after what does not fit may take it at once. */
  release: (id: string) => Promise<void>
  /** It is over. True when it has been for so long that nothing can be on its way to the edge any more. */
  end: (id: string) => Promise<boolean>
  remove: (id: string) => Promise<void>
}

/** `stale`: the edge knows a newer version. `missing`: topics that have no stream there. */
export type AssignAnswer = { is: 'stale' } | { is: 'assigned'; startOffset: string; fresh: boolean; missing: number[] }

/** Sessions as the edge has them. */
export type EdgeSessionCalls = {
  assign: (plan: EdgePlan) => Promise<AssignAnswer>
  tell: (id: string, events: unknown[]) => Promise<void>
  end: (id: string) => Promise<void>
  beat: (beatAgeMs: number) => Promise<void>
}
