// How a connection comes in: is there room, is it its turn, then a socket that the platform holds while we sleep.
import { systemClock } from '#shared/clock.ts'
import { SUBPROTOCOL } from '#shared/hub/tuning.ts'
import { ConnectionAdmission } from './core/admission.ts'
import { capacityOf } from './core/registry.ts'
import { FULL_RETRY_SECONDS, MAX_SOCKETS } from './core/tuning.ts'
import { admissionRate, maxActors } from './env.ts'
import { ENTRY_HEADER, type Entry, MOVED_HEADER } from './rpc.ts'
import { type Shard, warn } from './shard.ts'

export class Door {
  readonly #shard: Shard
  readonly #admission: ConnectionAdmission
  /** Where an actor belongs, when not here. */
  readonly #settle: (actor: string) => Promise<string | null>

  constructor(shard: Shard, settle: (actor: string) => Promise<string | null>) {
    this.#shard = shard
    this.#settle = settle
    this.#admission = new ConnectionAdmission(admissionRate(shard.env), systemClock)
  }

  async enter(request: Request): Promise<Response> {
    const { connections, counters, env, registry, storage } = this.#shard
    const entry = JSON.parse(request.headers.get(ENTRY_HEADER) ?? 'null') as Entry | null
    if (entry === null) return new Response(null, { status: 404 })
    this.#shard.adopt(entry.call)
    const elsewhere = await this.#settle(entry.actor)
    if (elsewhere !== null) return new Response(null, { status: 421, headers: { [MOVED_HEADER]: elsewhere } })
    const outcome = (word: string) => counters.count('signal_hub_connection_attempts_total', `outcome="${word}"`)

    const actors = capacityOf(registry.size, maxActors(env))
    const sockets = capacityOf(connections.count(), MAX_SOCKETS)
    const fuller = sockets.utilization > actors.utilization ? sockets : actors
    // Whoever is registered here already takes no further place.
    const isKnown = registry.get(entry.actor, this.#shard.now()) !== null
    if (sockets.state === 'full' || (actors.state === 'full' && !isKnown)) {
      outcome('full')
      const headers = {
        'Retry-After': String(FULL_RETRY_SECONDS),
        'X-Capacity-Utilization': fuller.utilization.toFixed(3),
      }
      return Response.json({ error: 'the hub is full' }, { status: 503, headers })
    }
    if (fuller.state === 'warning') warn('a shard is nearly full', { utilization: fuller.utilization })
    const admitted = this.#admission.ask()
    if (!admitted.admitted) {
      outcome('refused')
      return Response.json({ error: 'too many connections at once' }, { status: 429, headers: admitted.headers })
    }
    outcome('accepted')
    const pair = new WebSocketPair()
    const connectionId = crypto.randomUUID()
    const now = this.#shard.now()
    const { actor, rights } = entry
    storage.putConnection(connectionId, actor, rights)
    connections.accept(pair[1], { connectionId, actor, expiresAtMs: rights.expiresAtMs, connectedAtMs: now })
    this.#shard.arm(rights.expiresAtMs)
    this.#shard.armSweep()
    return new Response(null, {
      status: 101,
      webSocket: pair[0],
      headers: { 'Sec-WebSocket-Protocol': SUBPROTOCOL },
    })
  }
}
