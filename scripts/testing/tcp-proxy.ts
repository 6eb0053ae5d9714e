// A wire that tests can cut: forwards TCP to a local port. Browsers' own "offline" switches leave open streams alone, and
// nothing but a wire can fall silent without ending.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  port: number
  url: string
  /** How many connections go through it now. */
  open: () => number
  /** Ends every connection, as a pulled plug does. New ones are welcome. */
  cut: () => void
  /** The next bytes that the server sends arrive in part, and their connection ends there. */
  tear: () => void
  /** Swallows everything in both directions, and ends nothing. Off: what was held flows on. */
  blackHole: (on: boolean) => void
  /** Ends every new connection at once. */
  refuse: (on: boolean) => void
  stop: () => Promise<void>
}

export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let holding = false
  let refusing = false
  let tearing = false

  function tearOff(from: Socket, to: Socket, bytes: Buffer) {
    tearing = false
    from.pause()
    // Not half of them, which may end between two equal parts.
    to.write(bytes.subarray(0, Math.ceil(bytes.length * 0.7)), () => to.destroy())
  }

  function carry(from: Socket, to: Socket, toClient: boolean) {
    sockets.add(from)
    from.on('data', (bytes: Buffer) => {
      if (tearing && toClient) tearOff(from, to, bytes)
      else if (!to.write(bytes)) from.pause()
    })
    to.on('drain', () => {
      if (!holding) from.resume()
    })
    from.on('end', () => to.end())
    // Whatever ends one side ends the other; why is the test's own doing.
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (holding) from.pause()
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (refusing) return void near.destroy()
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    carry(near, far, false)
    carry(far, near, true)
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    open: () => sockets.size / 2,
    cut,
    tear() {
      tearing = true
    },
    blackHole(on) {
      holding = on
      for (const socket of sockets) {
        if (on) socket.pause()
        else socket.resume()
      }
    },
    refuse(on) {
      refusing = on
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
