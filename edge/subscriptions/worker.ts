// What workerd is given: the subscription worker and its objects.
import { createSubscriptionWorker } from './create-worker.ts'

export { SessionDO } from './session-object.ts'
export { SubscriptionDO } from './subscription-object.ts'

export default createSubscriptionWorker()
