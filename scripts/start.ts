// `npm start`: builds the client if it is stale and runs the product as in production, in this process, with the edge
// beside it unless EDGE_URL names another one or none.
import { buildClientIfStale } from './build-client.ts'
import { edgeCompanion } from './edge/edge-companion.ts'
import { progress } from './progress.ts'
import { runProduct, startFailure } from './run-product.ts'

try {
  await buildClientIfStale(progress)
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}
await runProduct('production', edgeCompanion('production'))
