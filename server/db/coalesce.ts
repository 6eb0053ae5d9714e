// Many callers that ask the same kind of question at one moment (a herd that comes back) share a query. An answer is never
// older than its question: whoever asks while queries run waits for the next one.

const AT_ONCE = 4
const KEYS_MAX = 200

type Waiting<V> = { promise: Promise<V>; resolve: (value: V) => void; reject: (error: unknown) => void }

export function coalesce<V>(load: (keys: string[]) => Promise<Map<string, V>>): (key: string) => Promise<V> {
  let waiting = new Map<string, Waiting<V>>()
  let running = 0

  function run(): void {
    while (running < AT_ONCE && waiting.size > 0) {
      const batch = [...waiting].slice(0, KEYS_MAX)
      waiting = new Map([...waiting].slice(KEYS_MAX))
      running += 1
      void answer(batch).finally(() => {
        running -= 1
        run()
      })
    }
  }

  async function answer(batch: [string, Waiting<V>][]): Promise<void> {
    try {
      const found = await load(batch.map(([key]) => key))
      for (const [key, { resolve, reject }] of batch) {
        const value = found.get(key)
        if (value === undefined) reject(new Error('a query gave no answer for one of its keys'))
        else resolve(value)
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error)
    }
  }

  return (key) => {
    const known = waiting.get(key)
    if (known) return known.promise
    const one = Promise.withResolvers<V>()
    waiting.set(key, one)
    run()
    return one.promise
  }
}
