import { Grid } from '../panel.tsx'
import { DeadLetters } from './dead-letters.tsx'

export function DeadPage() {
  return (
    <Grid>
      <DeadLetters pageSize={50} />
    </Grid>
  )
}
