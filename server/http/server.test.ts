import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { closeHttp, createHttpServer, listen } from './server.ts'

const agent = new Agent({ keepAlive: true })
afterEach(() => agent.destroy())

describe('listen', () => {
  it('gives one clear line for a taken port', async () => {
    const [first, second] = [createHttpServer(), createHttpServer()]
    const port = await listen(first, 0, '127.0.0.1')
    await expect(listen(second, port, '127.0.0.1')).rejects.toThrow(
      `Cannot start: port ${port} is in use. Set PORT to another one.`,
    )
    await closeHttp(first)
  })
})

describe('closeHttp', () => {
  it('lets a running request end, refuses new ones, and does not wait for idle connections', async () => {
    let finish = () => {}
    const server = createHttpServer((_req, res) => {
      res.write('begun ')
      finish = () => res.end('ended')
    })
    const port = await listen(server, 0, '127.0.0.1')
    const request = get({ port, host: '127.0.0.1', agent })
    const [answer] = await once(request, 'response')
    answer.setEncoding('utf8')
    await once(answer, 'data')
    const closed = closeHttp(server, 60_000)
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
    finish()
    const [rest] = await once(answer, 'data')
    expect(rest).toBe('ended')
    await closed
    expect(server.listening).toBe(false)
  })

  it('cuts what is left at the deadline', async () => {
    const server = createHttpServer((_req, res) => {
      res.write('for ever')
    })
    const port = await listen(server, 0, '127.0.0.1')
    const request = get({ port, host: '127.0.0.1', agent })
    const [answer] = await once(request, 'response')
    const cut = expect(once(answer, 'end')).rejects.toThrow('aborted')
    answer.resume()
    await closeHttp(server, 1)
    await cut
    expect(answer.complete).toBe(false)
  })

  it('does nothing to a server that never listened', async () => {
    await closeHttp(createHttpServer())
  })
})
