export * from './accounts.ts'
export * from './activities.ts'
export * from './conversation.ts'
export * from './topics.ts'
