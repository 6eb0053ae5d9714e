// A call that must not be waited for longer than it may take. What it was asked to do may still happen afterwards.

export function withinTime<Value>(call: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), limitMs)
  })
  return Promise.race([call, limit]).finally(() => timer !== null && clearTimeout(timer))
}
