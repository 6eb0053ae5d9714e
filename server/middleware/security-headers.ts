// Headers that keep other people's code out of our pages and our pages out of other people's frames.
import type { RequestHandler, Response } from 'express'
import helmet from 'helmet'
import { contextOf } from '#server/http/context.ts'

export type SecurityOptions = { publicOrigin: string | null; edgePublicUrl: string | null }

export function securityHeaders({ publicOrigin, edgePublicUrl }: SecurityOptions): RequestHandler {
  const https = publicOrigin?.startsWith('https:') ?? false
  // helmet hands over the plain Node response; Express has made it a Response before it comes here.
  const nonce = (_req: unknown, res: unknown) => `'nonce-${contextOf(res as Response).nonce}'`
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", nonce],
        styleSrc: ["'self'", nonce],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...edgeOrigins(edgePublicUrl)],
        manifestSrc: ["'self'"],
        workerSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        upgradeInsecureRequests: https ? [] : null,
      },
    },
    // Over plain http the header is ignored at best and locks developers out of localhost at worst.
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
  })
}

/** The edge is reached by fetch and by WebSocket. */
export function edgeOrigins(edgeUrl: string | null): string[] {
  if (!edgeUrl) return []
  const { origin } = new URL(edgeUrl)
  return [origin, origin.replace(/^http/, 'ws')]
}
