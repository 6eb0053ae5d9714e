// The shapes in which work travels to and from the scripts. Short names: there may be tens of thousands of them.
import { z } from 'zod'
import type { Attempts, DeliveryEntry, DueWork, Settlement } from '#server/app/delivery-ports.ts'
import { FAILURE_CLASSES } from '#server/domain/delivery/failure.ts'
import { type HandlerName, placeKey } from '#server/domain/delivery/handlers.ts'
import { handlerNumber } from './delivery-script.ts'

const storedWork = z.object({
  id: z.string().optional(),
  e: z.string().default(''),
  t: z.coerce.number(),
  s: z.coerce.number(),
  k: z.enum(['activity', 'update']),
  attempts: z.number().default(0),
  type: z.enum(FAILURE_CLASSES).nullable().default(null),
  error: z.string().nullable().default(null),
  stack: z.string().nullable().default(null),
  firstAt: z.number().nullable().default(null),
  lastAt: z.number().nullable().default(null),
  held: z.boolean().default(false),
  replays: z.number().default(0),
  adopted: z.boolean().default(false),
})

export const readWork = (text: string) => storedWork.parse(JSON.parse(text))

export const toDueWork = (handler: HandlerName, token: string, [, json, , data]: string[]): DueWork => {
  const { id, e, t, s, k, adopted, ...past } = readWork(json!)
  const entry: DeliveryEntry = { id: id ?? null, epoch: e, topicId: t, seq: s, kind: k, data: data!, again: false }
  return { entry, handler, past, token, adopted }
}

/** Nothing is written as null: the scripts would read that as a value. */
export const toStored = (entry: DeliveryEntry, past: Partial<Attempts> = {}) => ({
  e: entry.epoch,
  t: String(entry.topicId),
  s: String(entry.seq),
  k: entry.kind,
  // The log keeps the data of what is in it; only what came from elsewhere carries its own.
  ...(entry.id === null ? { d: entry.data } : { id: entry.id }),
  ...Object.fromEntries(Object.entries(past).filter(([, value]) => value !== null)),
})

export function toOperation(settlement: Settlement) {
  const { entry, handler, token } = settlement
  const id = entry.id === null ? {} : { id: entry.id }
  const common = {
    p: placeKey(entry),
    h: handlerNumber(handler),
    act: settlement.do,
    ...id,
    ...(token ? { token } : {}),
  }
  switch (settlement.do) {
    case 'done':
      return common
    case 'schedule':
      return { ...common, wait: settlement.waitMs, w: toStored(entry, settlement.past) }
    case 'dead':
      return { ...common, class: settlement.class, d: entry.data, w: toStored(entry, settlement.past) }
  }
}
