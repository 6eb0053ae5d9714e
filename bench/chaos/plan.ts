// A seed becomes a schedule: what is published when, what breaks when, and what is poison. Decides only; the same seed
// always gives the same schedule, and printing it tells the whole story.
import { type Random, seededRandom } from '#shared/clock.ts'

export const FAULTS = [
  'kill-worker',
  'pause-worker',
  'kill-during-publish',
  'cut-connections',
  'pause-redis',
  'restart-redis',
  'rewind-redis',
  'wipe-redis',
  'fill-redis',
  'receivers-down',
  'receivers-gone',
  'receivers-slow',
  'repeat-appends',
  'restart-log',
] as const
export type Fault = (typeof FAULTS)[number]

/** `poison`: of these posts, which the webhook or the edge refuses for good. */
export type PlanStep =
  | { do: 'publish'; worker: number; topic: number; count: number; poison: 'none' | 'hook' | 'edge' }
  | { do: 'fault'; fault: Fault; worker: number; forMs: number }
  | { do: 'wait'; ms: number }

export type Plan = { seed: number; steps: PlanStep[] }

export const WORKERS = 3
export const TOPICS = 3
const STEPS = 14
const FAULT_SHARE = 0.4
const POISON_SHARE = 0.15
const BURST_MAX = 12
const FAULT_MAX_MS = 400
const WAIT_MAX_MS = 60

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!
const upTo = (max: number, random: Random): number => 1 + Math.floor(random() * max)

export function planOf(seed: number): Plan {
  const random = seededRandom(seed)
  const worker = () => Math.floor(random() * WORKERS)
  const publish = (poison: 'none' | 'hook' | 'edge'): PlanStep => ({
    ...{ do: 'publish', worker: worker(), topic: Math.floor(random() * TOPICS) },
    ...{ count: poison === 'none' ? upTo(BURST_MAX, random) : 1, poison },
  })
  const steps: PlanStep[] = [publish('none')]
  for (let i = 0; i < STEPS; i++) {
    if (random() < FAULT_SHARE)
      steps.push({ do: 'fault', fault: pick(FAULTS, random), worker: worker(), forMs: upTo(FAULT_MAX_MS, random) })
    else if (random() < POISON_SHARE) steps.push(publish(pick(['hook', 'edge'] as const, random)))
    else steps.push(publish('none'))
    if (random() < 0.5) steps.push({ do: 'wait', ms: upTo(WAIT_MAX_MS, random) })
  }
  steps.push(publish('none'))
  return { seed, steps }
}

/** One line per step. */
export const printPlan = ({ steps }: Plan): string => steps.map(printStep).join('\n')

function printStep(step: PlanStep): string {
  switch (step.do) {
    case 'publish': {
      const poison = step.poison === 'none' ? '' : `, poison for the ${step.poison}`
      return `worker ${step.worker} publishes ${step.count} to topic ${step.topic}${poison}`
    }
    case 'fault':
      return `${step.fault} (worker ${step.worker}, ${step.forMs} ms)`
    case 'wait':
      return `wait ${step.ms} ms`
  }
}
