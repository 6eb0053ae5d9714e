export * from './accounts.ts'
export * from './activities.ts'
export * from './ingest.ts'
export * from './topics.ts'
