// What is exported although no panel or rule asks for it, with the reason.

const REASONS: [pattern: RegExp, reason: string][] = [
  [/^nodejs_|^process_/, 'what the runtime says of itself; some of it is on a panel, the rest is for looking closer'],
  [/^signal_hub_|^jobs_/, 'young parts that may say more than their dashboards show yet'],
]

export const expectedUnused = (name: string): boolean => REASONS.some(([pattern]) => pattern.test(name))
