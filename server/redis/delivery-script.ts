// The delivery scripts share their keys, their first arguments and their helpers (delivery-common.lua).
import { HANDLERS, type HandlerName } from '#server/domain/delivery/handlers.ts'
import type { RedisConnection } from './connection.ts'
import {
  DELIVERY_GROUP,
  DLQ_INDEX,
  DLQ_STREAM,
  LOG_EPOCH,
  LOG_FLOOR,
  LOG_STREAM,
  retryKey,
  retryWorkKey,
  SCHEDULED_CONSUMER,
} from './keys.ts'
import { loadScript } from './script.ts'

const KEYS = [
  ...[LOG_STREAM, LOG_EPOCH, DLQ_STREAM, DLQ_INDEX, LOG_FLOOR],
  ...HANDLERS.flatMap((handler) => [retryKey(handler), retryWorkKey(handler)]),
]
const ARGUMENTS = [DELIVERY_GROUP, SCHEDULED_CONSUMER, JSON.stringify(HANDLERS)]

export type DeliveryScript = (...args: (string | number)[]) => Promise<unknown>

export function loadDeliveryScript(client: RedisConnection, name: string): DeliveryScript {
  const script = loadScript(client, `delivery-${name}`, ['delivery-common'])
  return (...args) => script(KEYS, [...ARGUMENTS, ...args.map(String)])
}

/** Lua counts from one. */
export const handlerNumber = (handler: HandlerName): number => HANDLERS.indexOf(handler) + 1
