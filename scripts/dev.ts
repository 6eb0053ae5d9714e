// `npm run dev`: the whole product in this process, with Vite serving the client as it is being edited, and the edge
// beside it.
import { edgeCompanion } from './edge/edge-companion.ts'
import { runProduct } from './run-product.ts'

await runProduct('development', edgeCompanion('development'))
