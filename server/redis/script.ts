// A Lua file as a function: called by its hash, sent whole once when Redis does not know it (after a restart or flush).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export type Script = (keys: string[], args: (string | Buffer)[]) => Promise<unknown>

/** All that a script needs of a connection; what its replies are made of is the connection's choice. */
type Sender = { sendCommand: (args: (string | Buffer)[]) => Promise<unknown> }

/** `before`: files whose text comes first, for what several scripts have in common. */
export function loadScript(client: Sender, name: string, before: string[] = []): Script {
  const source = [...before, name]
    .map((file) => readFileSync(new URL(`./scripts/${file}.lua`, import.meta.url), 'utf8'))
    .join('\n')
  const sha = createHash('sha1').update(source).digest('hex')
  return async (keys, args) => {
    const rest = [String(keys.length), ...keys, ...args]
    try {
      return await client.sendCommand(['EVALSHA', sha, ...rest])
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return await client.sendCommand(['EVAL', source, ...rest])
    }
  }
}
