// Why a socket ended, as a number. 4000–4499: come back. 4500–4999: do not, it would end the same way.

export const CLOSE = {
  normal: 1000,
  /** A binary frame; the protocol is text. */
  binary: 1003,
  /** A frame above the limit. */
  tooLarge: 1009,
  rebalancing: 4000,
  tokenExpired: 4001,
  silent: 4002,
  tooSlow: 4008,
  flooding: 4029,
  /** Another socket took the address over with its renewal token. */
  replaced: 4500,
  revoked: 4501,
} as const

export const mayComeBack = (code: number): boolean => !(code >= 4_500 && code <= 4_999)
