// A request that cannot be granted, as data: the protocol's status, a sentence for people, and the headers it wants.

export type Refusal = { refused: true; status: number; reason: string; headers: Record<string, string> }

export const refuse = (status: number, reason: string, headers: Record<string, string> = {}): Refusal => ({
  refused: true,
  status,
  reason,
  headers,
})

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'refused' in value
