// (topic, seq): every receiver decides by itself what an event is to it. One rule for the browser, the tail and the edge.

export type Verdict = 'apply' | 'repeat' | 'hole'

/** `last` is the newest seq already applied for the topic, or undefined when nothing is known about it. */
export function judge(last: number | undefined, seq: number): Verdict {
  if (last === undefined || seq === last + 1) return 'apply'
  return seq <= last ? 'repeat' : 'hole'
}
