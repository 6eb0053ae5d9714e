// A person's own events between processes: Redis pub/sub, which may lose one while it reconnects. That is harmless, as
// the current state comes with every connect.
import type { BusEvent, PersonalBus } from '#server/app/log-ports.ts'
import { connectBeside, type RedisConnection } from './connection.ts'
import { PERSONAL_CHANNEL } from './keys.ts'

export function createPersonalBus(client: RedisConnection): PersonalBus & { stop: () => void } {
  let subscriber: RedisConnection | null = null
  return {
    async send(event) {
      await client.publish(PERSONAL_CHANNEL, JSON.stringify(event))
    },
    async listen(onEvent, onInterrupted) {
      subscriber = await connectBeside(client)
      // Every `ready` after the first means that messages may have been missed.
      subscriber.on('ready', onInterrupted)
      await subscriber.subscribe(PERSONAL_CHANNEL, (message) => onEvent(JSON.parse(message) as BusEvent))
    },
    stop() {
      if (subscriber?.isOpen) subscriber.destroy()
    },
  }
}
