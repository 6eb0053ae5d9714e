// Words and limits of the console that need no schema: the browser has them without one.
export const HANDLER_NAMES = ['mentions', 'webhooks', 'edge-relay'] as const
export const DEAD_CLASS_NAMES = ['transient', 'client_crash', 'permanent', 'trimmed'] as const
export const REASON_MIN_CHARS = 3
export const REASON_MAX_CHARS = 300
/** How far back the small charts look. */
export const TREND_MINUTES = [5, 60] as const
