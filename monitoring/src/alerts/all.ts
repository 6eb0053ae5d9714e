import type { AlertGroup } from '../alert.ts'
import { budgetAlerts } from './budgets.ts'
import { deliveryAlerts } from './delivery.ts'
import { hubAlerts, jobAlerts } from './edge.ts'
import { logAlerts } from './log.ts'
import { platformAlerts } from './platform.ts'

export const ALERT_GROUPS: AlertGroup[] = [
  deliveryAlerts,
  logAlerts,
  budgetAlerts,
  hubAlerts,
  jobAlerts,
  platformAlerts,
]
export const ALERTS = ALERT_GROUPS.flatMap(({ alerts }) => alerts)
