// What a stream's media type means: whether it is JSON with message boundaries, and whether its bytes are text.

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream'

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/

/** The media type alone, in small letters; null when it is none. */
export function mediaType(contentType: string): string | null {
  const essence = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  return MEDIA_TYPE.test(essence) ? essence : null
}

export const sameMediaType = (one: string, other: string): boolean => mediaType(one) === mediaType(other)

export const isJson = (contentType: string): boolean => mediaType(contentType) === 'application/json'

/** Whether SSE can carry it as it is; anything else travels as base64. */
export const isText = (contentType: string): boolean =>
  isJson(contentType) || (mediaType(contentType)?.startsWith('text/') ?? false)
