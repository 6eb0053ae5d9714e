// For tests only: stands between the subscription worker and the streams, and lets no delivery through while a stream
// named `faults` exists in the project. Everything else passes.
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { DeliveryHint, DeliveryResult } from '../streams/core/delivery.ts'
import { isRefusal } from '../streams/core/refusal.ts'
import type { CoreService as RealCore, StreamName } from '../streams/core-service.ts'

type FaultsEnv = { REAL: Service<RealCore> }

export class CoreService extends WorkerEntrypoint<FaultsEnv> {
  headStream(...args: Parameters<RealCore['headStream']>) {
    return this.env.REAL.headStream(...args)
  }

  putStream(...args: Parameters<RealCore['putStream']>) {
    return this.env.REAL.putStream(...args)
  }

  postStream(...args: Parameters<RealCore['postStream']>) {
    return this.env.REAL.postStream(...args)
  }

  deleteStream(...args: Parameters<RealCore['deleteStream']>) {
    return this.env.REAL.deleteStream(...args)
  }

  touchStream(...args: Parameters<RealCore['touchStream']>) {
    return this.env.REAL.touchStream(...args)
  }

  lastUsedMs(...args: Parameters<RealCore['lastUsedMs']>) {
    return this.env.REAL.lastUsedMs(...args)
  }

  joinSource(...args: Parameters<RealCore['joinSource']>) {
    return this.env.REAL.joinSource(...args)
  }

  handTo(...args: Parameters<RealCore['handTo']>) {
    return this.env.REAL.handTo(...args)
  }

  leaveSource(...args: Parameters<RealCore['leaveSource']>) {
    return this.env.REAL.leaveSource(...args)
  }

  catchUp(...args: Parameters<RealCore['catchUp']>) {
    return this.env.REAL.catchUp(...args)
  }

  readRange(...args: Parameters<RealCore['readRange']>) {
    return this.env.REAL.readRange(...args)
  }

  async deliver(session: StreamName, hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | 'gone'> {
    const switchedOff = isRefusal(await this.env.REAL.headStream({ project: session.project, id: 'faults' }))
    if (!switchedOff) throw new Error('a fault that the test asked for')
    return this.env.REAL.deliver(session, hint, carried)
  }
}

export default {
  async fetch(): Promise<Response> {
    return new Response(null, { status: 404 })
  },
} satisfies ExportedHandler<FaultsEnv>
