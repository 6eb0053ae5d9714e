// Asks the given questions in turn, over and over, on connections that stay open, and counts answers by status. Forked by
// poll.bench.ts.
import { connect } from 'node:net'

type Order = { port: number; requests: string[]; connections: number; seconds: number }

process.on('message', ({ port, requests, connections, seconds }: Order) => {
  let asked = 0
  const statuses: Record<string, number> = {}
  const until = performance.now() + seconds * 1_000
  let open = connections
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let head = ''
    const ask = () => socket.write(requests[asked++ % requests.length]!)
    socket.on('connect', ask)
    socket.on('data', (bytes) => {
      head += bytes.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      const status = head.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      head = ''
      if (performance.now() < until && status === '304') ask()
      else socket.end()
    })
    socket.on('close', () => {
      open -= 1
      if (open === 0) process.send?.(statuses)
    })
  }
})
process.on('disconnect', () => process.exit(0))
