// What a browser needs to read its live events at the edge instead of from the server.

/** A read token lives this long at most; then the browser has to come back to the server, which looks at its rights. */
export const EDGE_TOKEN_SECONDS = 300

export type EdgeSession =
  /** There is no edge, or none that browsers may read. */
  | { state: 'off' }
  /** It does not work at the moment. */
  | { state: 'down' }
  | {
      state: 'ready'
      id: string
      /** Of its stream; everything from `offset` on came after this answer was prepared. */
      url: string
      offset: string
      /** Its stream begins here: an older place in it means nothing. */
      fresh: boolean
      token: string
      expiresInMs: number
      followsVersion: number
    }

/** What stands in a session's stream beside events of topics: a person's own events, as the server's stream tells them. */
export type ToldAlone = { name: 'read' | 'unread' | 'bell' | 'control'; body: unknown }
