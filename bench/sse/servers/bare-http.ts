// What an answer costs when nothing is looked up: the floor for a poll with nothing new.
import { createServer } from 'node:http'

const server = createServer((_req, res) => {
  res.writeHead(304, { ETag: '"same"', 'Cache-Control': 'private, no-cache' })
  res.end()
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
