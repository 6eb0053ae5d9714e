// Leases of sessions in the registry, for the sweeper: it finds there those whose own alarm should have ended them and did
// not. A note is a help and not the truth; one that cannot be written fails nobody.
import { objectName } from '../streams/core/route.ts'
import { LEASE_NOTE_LIVES } from './constants.ts'
import type { SessionName } from './rpc.ts'

export type Lease = { expiresMs: number }

export const LEASE_PREFIX = 'lease:'
/** The registry takes no shorter life. */
const SHORTEST_NOTE_SECONDS = 60

const keyOf = ({ project, sessionId }: SessionName): string => LEASE_PREFIX + objectName(project, sessionId)

export async function noteLease(
  registry: KVNamespace,
  name: SessionName,
  expiresMs: number,
  ttlMs: number,
): Promise<void> {
  const expirationTtl = Math.max(SHORTEST_NOTE_SECONDS, Math.ceil((ttlMs / 1_000) * LEASE_NOTE_LIVES))
  await registry.put(keyOf(name), '', { metadata: { expiresMs } satisfies Lease, expirationTtl }).catch(warn)
}

export async function forgetLease(registry: KVNamespace, name: SessionName): Promise<void> {
  await registry.delete(keyOf(name)).catch(warn)
}

const warn = (error: unknown): void =>
  console.warn(JSON.stringify({ message: 'lease not noted', error: String(error) }))
