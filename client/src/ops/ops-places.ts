// The addresses of the console's pages.
import { places } from '../lib/places.ts'

const at = places.ops

export const opsPlaces = {
  overview: at,
  groups: `${at}/groups`,
  retries: `${at}/retries`,
  dead: `${at}/dead-letters`,
  connections: `${at}/connections`,
  runbooks: `${at}/runbooks`,
  runbook: (name: string) => `${at}/runbooks/${name}`,
}
