// Cuts a message into pieces that fit a row (2 MB is the platform's limit). A cut never falls inside a UTF-8 character,
// so that a page of a text stream is always whole text.

export const CHUNK_BYTES = 1_000_000

export function cutIntoChunks(message: Uint8Array, chunkBytes = CHUNK_BYTES): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let start = 0
  while (start < message.length) {
    const end = cutBefore(message, Math.min(start + chunkBytes, message.length), start)
    chunks.push(message.subarray(start, end))
    start = end
  }
  return chunks
}

/** At most three bytes back; what is not text is cut where it was. */
function cutBefore(message: Uint8Array, end: number, start: number): number {
  if (end === message.length) return end
  for (let at = end; at > Math.max(start, end - 4); at--) if (!isContinuation(message[at]!)) return at
  return end
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80
