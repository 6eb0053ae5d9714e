// A lease is known by its token, which says where it is kept: partition, number of the job there, and a secret of this
// attempt. Whoever holds an old one is told so, and changes nothing.
import { LEASE_GRACE_MS } from './tuning.ts'

export type LeaseRef = { partition: number; n: number }

export const leaseMs = (timeoutMs: number): number => timeoutMs + LEASE_GRACE_MS

export const leaseToken = ({ partition, n }: LeaseRef, secret: string): string => `${partition}.${n}.${secret}`

export function parseLeaseToken(token: string): LeaseRef | null {
  const [, partition, n] = /^(\d{1,3})\.(\d{1,15})\.[\w-]{8,64}$/.exec(token) ?? []
  return partition === undefined || n === undefined ? null : { partition: Number(partition), n: Number(n) }
}
