// A topic's numbers at its owner. The origin numbers its topics itself; what actors publish gets the next number.

export type TopicState = {
  lastSeq: number
  /** The oldest number that replay still holds; null when it holds none. */
  oldest: number | null
}

export type PublishVerdict =
  | { is: 'next'; seq: number }
  /** Before the newest, but not heard of yet: another publisher was quicker. */
  | { is: 'late'; seq: number }
  | { is: 'duplicate'; seq: number }

export const NEW_TOPIC: TopicState = { lastSeq: 0, oldest: null }

/** `seq` null: the hub numbers. Gaps are let through; receivers see them and fetch what they miss. */
export function judgePublish(topic: TopicState, seq: number | null, isHeld: (seq: number) => boolean): PublishVerdict {
  if (seq === null) return { is: 'next', seq: topic.lastSeq + 1 }
  if (seq > topic.lastSeq) return { is: 'next', seq }
  const tooOld = topic.oldest === null || seq < topic.oldest
  return { is: tooOld || isHeld(seq) ? 'duplicate' : 'late', seq }
}
