// How the global limit is dealt over partitions, and how it is dealt anew without ever being exceeded. `granted` is what a
// partition may be using at most: it is lowered only after the partition has confirmed, raised before the partition is told.

/** As even as can be, the first ones taking what is left over: 10 over 4 is 3, 3, 2, 2. */
export function dealSlots(concurrency: number, partitions: number): number[] {
  const each = Math.floor(concurrency / partitions)
  const more = concurrency % partitions
  return Array.from({ length: partitions }, (_, index) => each + (index < more ? 1 : 0))
}

export type SlotChange = { partition: number; slots: number }
export type ResizeStep = {
  /** To be asked until they confirm. */
  shrink: SlotChange[]
  /** May be told now: there is room for them. */
  grow: SlotChange[]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** What can be done now towards `target`; nothing in it means that the target is reached. */
export function resizeStep(granted: readonly number[], target: readonly number[]): ResizeStep {
  const all = Array.from({ length: Math.max(granted.length, target.length) }, (_, partition) => ({
    partition,
    has: granted[partition] ?? 0,
    slots: target[partition] ?? 0,
  }))
  let room = sum(target) - sum(granted)
  const grow: SlotChange[] = []
  for (const { partition, has, slots } of all) {
    const more = Math.min(slots - has, room)
    if (more <= 0) continue
    grow.push({ partition, slots: has + more })
    room -= more
  }
  return {
    shrink: all.filter(({ has, slots }) => has > slots).map(({ partition, slots }) => ({ partition, slots })),
    grow,
  }
}

export function withGranted(granted: readonly number[], { partition, slots }: SlotChange): number[] {
  const next = [...granted]
  while (next.length <= partition) next.push(0)
  next[partition] = slots
  return next
}
