// What travels between the main thread and the thread that runs the embedded Postgres.

export type ThreadStart = {
  /** Where the database's files are; null for one that lives in memory only. */
  directory: string | null
  /** A dump of a ready database to start from, instead of creating one; null to create. */
  template: string | null
  /** Where to keep a dump of a newly created database for the next time. */
  keepTemplateAt: string | null
}

export type ToThread =
  /** Bytes of the Postgres protocol, as the driver wrote them. `first`: they open a new connection. */
  | { kind: 'bytes'; connection: number; first: boolean; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'dump'; path: string }
  | { kind: 'stop' }

export type FromThread =
  | { kind: 'ready' }
  | { kind: 'bytes'; connection: number; bytes: Uint8Array<ArrayBuffer> }
  /** The database could not take the bytes at all; an SQL error is an ordinary answer, not this. */
  | { kind: 'broken'; connection: number; message: string }
  | { kind: 'dumped' }
  | { kind: 'failed'; message: string }
