// Patterns over stream paths (protocol §6.2): `*` stands for one segment or a part of one, `**` for any number of them.

export function matchesGlob(pattern: string, path: string): boolean {
  return matchSegments(pattern.split('/'), path.split('/'))
}

function matchSegments(pattern: string[], path: string[]): boolean {
  // Which beginnings of the path the pattern so far can cover: quick however many `**` there are.
  let reachable = new Set([0])
  for (const piece of pattern) {
    const next = new Set<number>()
    for (const at of reachable) {
      if (piece === '**') for (let end = at; end <= path.length; end++) next.add(end)
      else if (at < path.length && matchesSegment(piece, path[at]!)) next.add(at + 1)
    }
    reachable = next
  }
  return reachable.has(path.length)
}

function matchesSegment(piece: string, segment: string): boolean {
  const [first = '', ...others] = piece.split('*')
  if (others.length === 0) return piece === segment
  const last = others.pop() ?? ''
  if (segment.length < first.length + last.length || !segment.startsWith(first) || !segment.endsWith(last)) return false
  let at = first.length
  for (const part of others) {
    at = segment.indexOf(part, at)
    if (at < 0) return false
    at += part.length
  }
  return at <= segment.length - last.length
}
