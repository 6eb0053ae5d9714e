export * from './accounts.ts'
export * from './activities.ts'
export * from './delivery.ts'
export * from './topics.ts'
