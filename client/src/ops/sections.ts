// The parts of the console, one file each, loaded when somebody opens them. A new part is a line here and a file.
import type { ComponentType } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { opsTexts } from '../texts/ops.ts'
import type { IconName } from '../ui/icon.tsx'
import { opsPlaces } from './ops-places.ts'
import { OverviewPage } from './overview/overview-page.tsx'
import type { Picture } from './use-picture.ts'

export type Section = {
  path: string
  name: string
  icon: IconName
  Page: ComponentType
  /** How much waits there. */
  count?: (picture: Picture) => number | null
}

const GroupsPage = lazyPart(
  () => import('./groups-page.tsx'),
  (module) => module.GroupsPage,
)
const RetriesPage = lazyPart(
  () => import('./retries-page.tsx'),
  (module) => module.RetriesPage,
)
const DeadPage = lazyPart(
  () => import('./dead/dead-page.tsx'),
  (module) => module.DeadPage,
)
const ConnectionsPage = lazyPart(
  () => import('./connections-page.tsx'),
  (module) => module.ConnectionsPage,
)
const RunbooksPage = lazyPart(
  () => import('./runbooks/runbooks-page.tsx'),
  (module) => module.RunbooksPage,
)

const { nav } = opsTexts

export const WATCH: Section[] = [
  { path: opsPlaces.overview, name: nav.overview, icon: 'monitor', Page: OverviewPage },
  { path: opsPlaces.groups, name: nav.groups, icon: 'package', Page: GroupsPage },
  {
    ...{ path: opsPlaces.retries, name: nav.retries, icon: 'clock', Page: RetriesPage },
    count: ({ schedule }) => schedule && Object.values(schedule.sizes).reduce((sum, size) => sum + size, 0),
  },
  {
    ...{ path: opsPlaces.dead, name: nav.dead, icon: 'warning', Page: DeadPage },
    count: ({ deadLetters }) => deadLetters,
  },
  { path: opsPlaces.connections, name: nav.connections, icon: 'users', Page: ConnectionsPage },
]

export const FIND_OUT: Section[] = []

export const ELSEWHERE: Section[] = [{ path: opsPlaces.runbooks, name: nav.runbooks, icon: 'file', Page: RunbooksPage }]

export const SECTIONS: Section[] = [...WATCH, ...FIND_OUT, ...ELSEWHERE]
