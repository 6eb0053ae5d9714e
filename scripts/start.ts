// `npm start`: builds the client if it is stale and runs the product as in production, in this process.
import { buildClientIfStale } from './build-client.ts'
import { progress } from './progress.ts'
import { runProduct, startFailure } from './run-product.ts'

try {
  await buildClientIfStale(progress)
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}
await runProduct('production')
