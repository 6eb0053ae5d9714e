import { DeadLetters } from '../dead/dead-letters.tsx'
import { Grid } from '../panel.tsx'
import { AgesPanel } from './ages-panel.tsx'
import { ConnectionsPanel } from './connections-panel.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import { MemoryPanel } from './memory-panel.tsx'
import { SchedulePanel } from './schedule-panel.tsx'
import { Tiles } from './tiles.tsx'

/** Everything at a glance; each part has a page of its own with more of it. */
export function OverviewPage() {
  return (
    <Grid>
      <Tiles />
      <GroupsPanel />
      <AgesPanel />
      <SchedulePanel />
      <DeadLetters pageSize={8} />
      <MemoryPanel span={8} />
      <ConnectionsPanel span={4} />
    </Grid>
  )
}
