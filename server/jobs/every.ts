// A loop that runs a piece of work now and then, never twice at once, and stops when told.

export type Loop = { stop: () => Promise<void> }

export function every(intervalMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void): Loop {
  let running: Promise<unknown> = Promise.resolve()
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    running = work()
      .catch(onError)
      .finally(() => {
        busy = false
      })
  }, intervalMs)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
