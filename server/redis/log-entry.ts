// An entry of the log as append.lua and beat.lua write it. Fields have one letter: the log holds a million of them.
import type { LogEntry } from '#server/app/log-ports.ts'

export type RawEntry = [id: string, fields: string[]]

export type StreamEntry = Omit<LogEntry, 'position'> & {
  id: string
  epoch: string
  /** The log got it a second time. */
  again: boolean
}

export function readEntry([id, fields]: RawEntry): StreamEntry {
  const entry: StreamEntry = { id, epoch: '', topicId: 0, seq: 0, kind: 'beat', data: '', again: false }
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1]!
    switch (fields[i]) {
      case 'e':
        entry.epoch = value
        break
      case 't':
        entry.topicId = Number(value)
        break
      case 's':
        entry.seq = Number(value)
        break
      case 'k':
        // Whatever is not an event is nobody's work.
        if (value === 'activity' || value === 'update') entry.kind = value
        break
      case 'd':
        entry.data = value
        break
      case 'r':
        entry.again = true
        break
    }
  }
  return entry
}
