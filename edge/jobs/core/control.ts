// How a change of plan is carried out over partitions that may answer late, or not at all. Pure: says whom to call with
// what, and takes in what they answered. It can be interrupted anywhere and asked again.
//   tell everybody, with no more slots than they have  →  publish  →  wait for those that have too many  →  let others grow
// Nobody routes by a plan before every partition knows it: a former owner has then stopped taking in what it lost. Slots are
// granted on paper before a partition is told, and taken off the paper after it has confirmed, so their sum never
// exceeds the limit whatever is lost on the way.
import type { ConcurrencyManagerConfig } from './config.ts'
import { movedTo, type Plan } from './plan.ts'
import { dealSlots, resizeStep, withGranted } from './slots.ts'
import { VIRTUAL_PARTITIONS } from './tuning.ts'
import { dealOwners } from './virtual-partitions.ts'

export type Control = {
  target: Plan
  /** By which routers go; null until the first plan is known everywhere. */
  published: Plan | null
  /** By partition: slots that it may be using, the slots it was told last (null: the answer was lost) and in which version. */
  granted: number[]
  slots: (number | null)[]
  told: number[]
}

export type Call = { partition: number; slots: number }
export type Heard = Call & { version: number; active: number }

export function beginControl(config: ConcurrencyManagerConfig): Control {
  const owners = dealOwners([], config.partitions)
  const target = { version: 1, config, owners, since: Array<number>(VIRTUAL_PARTITIONS).fill(0) }
  return { target, published: null, granted: [], slots: [], told: [] }
}

export function changeConfig(control: Control, config: ConcurrencyManagerConfig): Control {
  const { owners, config: before } = control.target
  const dealt = before.partitions === config.partitions ? owners : dealOwners(owners, config.partitions)
  return { ...control, target: movedTo(control.target, config, dealt) }
}

export const changeOwners = (control: Control, owners: number[]): Control => ({
  ...control,
  target: movedTo(control.target, control.target.config, owners),
})

export const everUsed = ({ granted, told, target }: Control): number =>
  Math.max(granted.length, told.length, target.config.partitions)

/** What can be done now. `control` is to be kept before anybody is called. */
export function advance(control: Control): { control: Control; calls: Call[] } {
  const { target, told, slots } = control
  const wanted = dealSlots(target.config.concurrency, target.config.partitions)
  const all = Array.from({ length: everUsed(control) }, (_, partition) => partition)
  const untold = all.filter((partition) => (told[partition] ?? 0) < target.version)
  if (untold.length > 0) {
    const atMost = (partition: number) => Math.min(control.granted[partition] ?? 0, wanted[partition] ?? 0)
    return { control, calls: untold.map((partition) => ({ partition, slots: atMost(partition) })) }
  }
  const { shrink, grow } = resizeStep(control.granted, wanted)
  let granted = control.granted
  for (const change of grow) granted = withGranted(granted, change)
  const shrinking = new Set(shrink.map(({ partition }) => partition))
  // Whoever was granted more, and whoever's last answer was lost.
  const behind = all
    .filter((partition) => !shrinking.has(partition) && slots[partition] !== (granted[partition] ?? 0))
    .map((partition) => ({ partition, slots: granted[partition] ?? 0 }))
  return { control: { ...control, published: target, granted }, calls: [...shrink, ...behind] }
}

export function heard(control: Control, { partition, version, slots, active }: Heard): Control {
  // It answers to a plan that is no more; the new one is on its way to it.
  if (version !== control.target.version) return control
  const told = withGranted(control.told, { partition, slots: version })
  const known = [...control.slots]
  while (known.length <= partition) known.push(null)
  known[partition] = slots
  const has = control.granted[partition] ?? 0
  const confirmed = slots < has && active <= slots
  const granted = confirmed ? withGranted(control.granted, { partition, slots }) : control.granted
  return { ...control, told, slots: known, granted }
}

/** Before a call: if its answer is lost, nobody knows what the partition was told. */
export function calling(control: Control, { partition }: Call): Control {
  const slots = [...control.slots]
  while (slots.length <= partition) slots.push(null)
  slots[partition] = null
  return { ...control, slots }
}

export const isSettled = (control: Control): boolean => {
  const { calls, control: next } = advance(control)
  return calls.length === 0 && next.published?.version === next.target.version
}
