// What operators look at, in the order in which they look: promises, delivery, log, reads, edge, ground.
import { edgeHub, edgeStreams, jobs } from './edge.ts'
import { ground } from './ground.ts'
import { redisStreams } from './log.ts'
import { overview } from './overview.ts'
import type { Board } from './panel.ts'
import { liveDelivery, readState } from './readers.ts'

export const BOARDS: Board[] = [overview, liveDelivery, redisStreams, readState, edgeHub, edgeStreams, jobs, ground]

/** Every question that a panel or an alert asks, for checking them against what is exported. */
export const panelQueries = (): { where: string; expr: string }[] =>
  BOARDS.flatMap(({ title, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) => panel.queries.map(({ expr }) => ({ where: `${title} / ${panel.title}`, expr }))),
    ),
  )
