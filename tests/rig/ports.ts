import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** A TCP and UDP port that is free on 127.0.0.1 now. Below the ephemeral range, so that no outgoing socket takes it. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = 20_100 + 2 * Math.floor(Math.random() * 5_900)
    if ((await isFreeUdp(port)) && (await isFreeUdp(port + 1)) && (await isFreeTcp(port))) return port
  }
  throw new Error('no free port found')
}

const isFreeUdp = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(false))
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })

const isFreeTcp = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
