// `npm run dev`: the whole product in this process, with Vite serving the client as it is being edited.
import { runProduct } from './run-product.ts'

await runProduct('development')
