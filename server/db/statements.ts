/** A pool, or a way to the pool of a running server. Every statement stands for itself. */
export type Statements = {
  query: (statement: { name?: string; text: string; values: unknown[] }) => Promise<{ rows: unknown[] }>
}
