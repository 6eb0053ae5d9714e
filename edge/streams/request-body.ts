// A request's body as bytes, up to a limit. Counted while it arrives: a length in the header may be absent or wrong.
import { concatenate } from './core/page.ts'
import { type Refusal, refuse } from './core/refusal.ts'

export async function readBodyUpTo(request: Request, maxBytes: number): Promise<Uint8Array | Refusal> {
  const tooLarge = refuse(413, `a body may have ${maxBytes} bytes`)
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) return tooLarge
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) return tooLarge
    parts.push(part)
  }
  return concatenate(parts)
}
