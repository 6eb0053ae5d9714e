// Several processes behind one port are one target: a scrape that reaches any of them gets the figures of all, each with
// the number of its process. Adding them up here would hide which one is in trouble.

export type ProcessText = { worker: number; text: string }

export function mergeMetrics(processes: ProcessText[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>()
  for (const { worker, text } of processes) {
    let family = ''
    for (const line of text.split('\n')) {
      const head = /^# (?:HELP|TYPE) (\S+)/.exec(line)
      if (head) {
        family = head[1]!
        const known = families.get(family)
        if (!known) families.set(family, { head: [line], samples: [] })
        else if (!known.head.includes(line) && known.samples.length === 0) known.head.push(line)
      } else if (line !== '') families.get(family)?.samples.push(withWorker(line, worker))
    }
  }
  return `${[...families.values()].flatMap(({ head, samples }) => [...head, ...samples]).join('\n')}\n`
}

/** `name{a="b"} 1` or `name 1`. */
function withWorker(sample: string, worker: number): string {
  const end = /[{ ]/.exec(sample)!.index
  const label = `worker="${worker}"`
  return sample[end] === '{'
    ? `${sample.slice(0, end)}{${label},${sample.slice(end + 1)}`
    : `${sample.slice(0, end)}{${label}}${sample.slice(end)}`
}
