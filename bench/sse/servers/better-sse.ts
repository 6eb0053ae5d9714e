// better-sse as its documentation shows it: a session per request, one channel, broadcast.
import { createServer } from 'node:http'
import { createChannel, createSession } from 'better-sse'

const channel = createChannel()
const server = createServer(async (req, res) => {
  if (req.method === 'POST') {
    let body = ''
    for await (const bytes of req) body += bytes
    channel.broadcast(body, 'activity')
    res.end()
    return
  }
  channel.register(await createSession(req, res))
})
server.listen(Number(process.env.PORT), '127.0.0.1', 4_096, () => console.log('ready'))
