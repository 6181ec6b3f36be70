import { WebSocket } from 'ws'
import { answeredCalls } from './call-ways.ts'
import type { WayName } from './ways.ts'
import type { Work } from './work.ts'

const sockets = 200
const openMs = 500
/** Their events are what each stream begins with. */
const eventCalls = 60

/** Opens this many WebSockets again and again, each for half a second. */
const again = (work: Work, url: string, protocol: string | undefined, opened: (socket: WebSocket) => void) =>
  work.sideBySide(
    sockets,
    () =>
      new Promise<void>(resolve => {
        const socket = protocol === undefined ? new WebSocket(url) : new WebSocket(url, protocol)
        const over = setTimeout(() => socket.terminate(), openMs)
        socket.once('open', () => {
          work.count('open')
          opened(socket)
        })
        socket.once('error', () => work.count('refused'))
        socket.once('close', () => {
          clearTimeout(over)
          resolve()
        })
      }),
  )

export const socketWays = {
  streams: async work => {
    await answeredCalls(work, eventCalls)
    const base = work.order.baseUrl.replace('http', 'ws')
    const token = (await work.ask('POST', '/stream/token'))?.token
    await again(work, `${base}/stream?token=${token}&after=0`, undefined, () => {})
  },

  phones: work => {
    const { baseUrl, realm } = work.order
    let sent = Date.now()
    return again(work, `${baseUrl.replace('http', 'ws')}/sip`, 'sip', socket => {
      socket.on('message', bytes => work.note(String(bytes).slice(8, 11)))
      const lines = [
        `REGISTER sip:${realm} SIP/2.0`,
        `Via: SIP/2.0/WS phone.invalid;branch=z9hG4bK${++sent}`,
        `From: <sip:1001@${realm}>;tag=${sent}`,
        `To: <sip:1001@${realm}>`,
        `Call-ID: phone-${sent}`,
        'CSeq: 1 REGISTER',
        'Max-Forwards: 70',
        'Contact: <sip:1001@phone.invalid;transport=ws>',
        `Authorization: Bearer ${Buffer.from('{"alg":"HS256"}').toString('base64url')}.e30.${'a'.repeat(43)}`,
        'Content-Length: 0',
      ]
      socket.send(`${lines.join('\r\n')}\r\n\r\n`)
    })
  },
} satisfies Partial<Record<WayName, (work: Work) => Promise<void>>>
