// Socket.IO over WebSocket only, without compression: its quickest usual set-up.
import { createServer } from 'node:http'
import { Server } from 'socket.io'

const server = createServer(async (req, res) => {
  if (req.method !== 'POST') return void res.writeHead(404).end()
  let body = ''
  for await (const bytes of req) body += bytes
  io.emit('activity', body)
  res.end()
})
const io = new Server(server, { transports: ['websocket'], perMessageDeflate: false, pingInterval: 300_000 })
server.listen(Number(process.env.PORT), '127.0.0.1', 4_096, () => console.log('ready'))
