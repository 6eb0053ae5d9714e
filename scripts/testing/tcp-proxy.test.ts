import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startProxy, type TcpProxy } from './tcp-proxy.ts'

let echo: Server
let proxy: TcpProxy
const clients: Socket[] = []

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await startProxy((echo.address() as AddressInfo).port)
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await proxy.stop()
  echo.close()
})

async function dial(): Promise<Socket> {
  const socket = connect({ port: proxy.port, host: '127.0.0.1' })
  clients.push(socket)
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  return socket
}
const said = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0])

describe('tcp proxy', () => {
  it('carries bytes both ways until it is cut, and takes new connections afterwards', async () => {
    const socket = await dial()
    socket.write('hello')
    expect(await said(socket)).toBe('hello')
    const closed = once(socket, 'close')
    proxy.cut()
    await closed
    const next = await dial()
    next.write('again')
    expect(await said(next)).toBe('again')
  })

  it('torn, lets a part of the next bytes through and ends', async () => {
    const socket = await dial()
    const closed = once(socket, 'close')
    let heard = ''
    socket.on('data', (bytes) => {
      heard += String(bytes)
    })
    proxy.tear()
    socket.write('ten bytes.')
    await closed
    expect(heard).toBe('ten byt')
    const next = await dial()
    next.write('whole')
    expect(await said(next)).toBe('whole')
  })

  it('as a black hole says nothing and ends nothing; what was held comes afterwards', async () => {
    const socket = await dial()
    socket.write('before')
    expect(await said(socket)).toBe('before')
    proxy.blackHole(true)
    let heard = ''
    socket.on('data', (bytes) => {
      heard += String(bytes)
    })
    socket.write('lost?')
    // A connection that is not in the hole shows that there was time enough.
    const direct = connect({ port: (echo.address() as AddressInfo).port, host: '127.0.0.1' })
    clients.push(direct)
    direct.write('direct')
    expect(await said(direct)).toBe('direct')
    expect(heard).toBe('')
    const answer = said(socket)
    proxy.blackHole(false)
    expect(await answer).toBe('lost?')
  })

  it('refuses new connections while told so', async () => {
    proxy.refuse(true)
    const socket = await dial()
    await once(socket, 'close')
    proxy.refuse(false)
    const next = await dial()
    next.write('welcome')
    expect(await said(next)).toBe('welcome')
  })
})
