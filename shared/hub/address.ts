// Who takes part: `@(place/name)`. The place says where an actor lives (browser, server, script), the name which one it is.

const ADDRESS = /^@\([a-zA-Z0-9_.-]{1,48}\/[a-zA-Z0-9_.:-]{1,128}\)$/
/** As an address, but `*` may stand for any part of the place or of the name. */
const ADDRESS_PATTERN = /^@\([a-zA-Z0-9_.*-]{1,48}\/[a-zA-Z0-9_.:*-]{1,128}\)$/
const TOPIC = /^[a-zA-Z0-9_.:-]{1,128}$/
const TOPIC_PATTERN = /^[a-zA-Z0-9_.:*-]{1,128}$/

export const HUB_ADDRESS = '@(cloudflare/signal-hub)'
/** Where broadcasts are sent to: one text for everybody. */
export const EVERYBODY = '@(hub/everybody)'
/** Whoever holds the origin's write token speaks from here. */
export const ORIGIN_ADDRESS = '@(server/origin)'

export const isAddress = (text: string): boolean => ADDRESS.test(text)
export const isAddressPattern = (text: string): boolean => ADDRESS_PATTERN.test(text)
export const isTopic = (text: string): boolean => TOPIC.test(text)
export const isTopicPattern = (text: string): boolean => TOPIC_PATTERN.test(text)

export const address = (place: string, name: string): string => `@(${place}/${name})`
export const topicAddress = (topic: string): string => address('topic', topic)

/** Actors may not speak as the hub, as a topic or as the origin. */
const RESERVED = /^@\((cloudflare|hub|topic)\//

export const isActorAddress = (text: string): boolean =>
  isAddress(text) && !RESERVED.test(text) && text !== ORIGIN_ADDRESS
