// What workerd is given: the streams Worker, its objects, and the face that the subscription worker calls.
import { createStreamsWorker } from './create-worker.ts'

export { CoreService } from './core-service.ts'
export { DirectoryObject } from './directory-object.ts'
export { StreamObject } from './stream-object.ts'

export default createStreamsWorker()
