import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'

/** RFC 3261 §17.1.2.1: sent again as Timer E does. */
const sendAtMs = [0, 500, 1500]
const waitMs = 2500

/** Asks a SIP listener by OPTIONS over UDP (RFC 3261 §11): its status line, or undefined when it stays silent. */
export function askOptions(host: string, port: number): Promise<string | undefined> {
  const family = isIP(host) === 6 ? 'udp6' : 'udp4'
  const socket = createSocket(family)
  const written = family === 'udp6' ? `[${host}]` : host
  return new Promise(resolve => {
    const timers: NodeJS.Timeout[] = []
    const end = (answer: string | undefined) => {
      for (const timer of timers) clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    socket.once('error', () => end(undefined))
    socket.once('message', bytes => end(bytes.toString('latin1').split('\r\n')[0]?.slice(0, 100)))
    socket.bind({ address: family === 'udp6' ? '::' : '0.0.0.0', port: 0 }, () => {
      const own = `${written}:${socket.address().port}`
      const id = randomUUID()
      const request = [
        `OPTIONS sip:${written}:${port} SIP/2.0`,
        `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${id};rport`,
        'Max-Forwards: 1',
        `From: <sip:doctor@${written}>;tag=${id.slice(0, 8)}`,
        `To: <sip:${written}:${port}>`,
        `Call-ID: ${id}`,
        'CSeq: 1 OPTIONS',
        `Contact: <sip:doctor@${own}>`,
        'Accept: application/sdp',
        'Content-Length: 0',
        '\r\n',
      ].join('\r\n')
      for (const ms of sendAtMs) timers.push(setTimeout(() => socket.send(request, port, host), ms))
      timers.push(setTimeout(() => end(undefined), waitMs))
    })
  })
}
