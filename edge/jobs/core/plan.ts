// Where everything is at the moment, as the control object decides it and every partition and router is told.
import type { ConcurrencyManagerConfig } from './config.ts'

export type Plan = {
  version: number
  config: ConcurrencyManagerConfig
  /** Owner by virtual partition, and the version from which on: what belongs to one is held until its former owner let go. */
  owners: number[]
  since: number[]
}

/** The same plan with other owners; whoever moves is new from this version on. */
export function movedTo(plan: Plan, config: ConcurrencyManagerConfig, owners: number[]): Plan {
  const version = plan.version + 1
  const since = owners.map((owner, virtual) => (owner === plan.owners[virtual] ? plan.since[virtual]! : version))
  return { version, config, owners, since }
}
