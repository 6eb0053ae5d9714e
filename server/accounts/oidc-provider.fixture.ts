// A small OpenID Connect provider: discovery, keys and the token endpoint; whoever it is told to be signs in.
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Claims = { sub: string; email: string; email_verified: boolean; name: string; [claim: string]: unknown }

type Grant = { claims: Claims; nonce: string | null; challenge: string | null }

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function startOidcProvider() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const grants = new Map<string, Grant>()
  let issuer = ''

  const idToken = ({ claims, nonce }: Grant) => {
    const now = Math.floor(Date.now() / 1000)
    const body = `${encode({ alg: 'RS256', kid: 'key', typ: 'JWT' })}.${encode({
      iss: issuer,
      aud: 'feed',
      iat: now,
      exp: now + 300,
      ...(nonce ? { nonce } : {}),
      ...claims,
    })}`
    return `${body}.${createSign('RSA-SHA256').update(body).sign(privateKey, 'base64url')}`
  }

  const server = createServer(async (req, res) => {
    const answer = (status: number, body: unknown) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (req.url === '/.well-known/openid-configuration')
      return answer(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (req.url === '/keys')
      return answer(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }] })
    if (req.url === '/token') {
      const form = new URLSearchParams(await new Response(req as unknown as BodyInit).text())
      const grant = grants.get(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (!grant || grant.challenge !== challenge) return answer(400, { error: 'invalid_grant' })
      return answer(200, { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: idToken(grant) })
    }
    answer(404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    /** What the provider's page does: sends the browser back with a code. `over` forges the nonce. */
    approve: (authorizeUrl: string, claims: Claims, over: { nonce?: string } = {}): string => {
      const query = new URL(authorizeUrl).searchParams
      const code = randomUUID()
      const nonce = over.nonce ?? query.get('nonce')
      grants.set(code, { claims, nonce, challenge: query.get('code_challenge') })
      const back = new URL(query.get('redirect_uri')!)
      return `${back.pathname}?code=${code}&state=${query.get('state')}`
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
