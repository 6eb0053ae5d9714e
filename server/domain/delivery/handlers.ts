// The work that follows an event, by name. The list is closed: keys, metrics and the console are built from it, and an
// entry is finished when none of these has anything left to do with it.
export const HANDLERS = ['mentions', 'webhooks', 'edge-relay'] as const
export type HandlerName = (typeof HANDLERS)[number]

/** An event's place in its topic, as a key: what is scheduled, dead or owed is known by it, whatever log it came by. */
export type Place = { topicId: number; seq: number }
export const placeKey = ({ topicId, seq }: Place): string => `${topicId}:${seq}`
