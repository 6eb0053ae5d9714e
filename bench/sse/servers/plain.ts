// The ceiling: nothing but Node writing one ready chunk to each socket. No accounts, no topics, no log, nothing to resume.
import { createServer } from 'node:http'
import type { Socket } from 'node:net'

const sockets = new Set<Socket>()
const server = createServer((req, res) => {
  if (req.method === 'POST') {
    let body = ''
    req.on('data', (bytes) => {
      body += bytes
    })
    req.on('end', () => {
      const text = `data: ${body}\n\n`
      const frame = Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
      for (const socket of sockets) socket.write(frame)
      res.end()
    })
    return
  }
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  res.flushHeaders()
  const socket = res.socket!
  socket.setNoDelay(true)
  sockets.add(socket)
  res.on('close', () => sockets.delete(socket))
})
server.listen(Number(process.env.PORT), '127.0.0.1', 4_096, () => console.log('ready'))
