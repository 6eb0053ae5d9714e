// Keeps a project's ring: which shards there are.
import { DurableObject } from 'cloudflare:workers'
import { type RingView, shardNames } from './core/ring.ts'
import { firstShards, type HubEnv } from './env.ts'
import type { RingRpc } from './rpc.ts'

export class HubRingObject extends DurableObject<HubEnv> implements RingRpc {
  async view(_project: string): Promise<RingView> {
    return { version: 1, shards: shardNames(firstShards(this.env)), next: null, failed: [] }
  }
}
