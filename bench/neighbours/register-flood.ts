import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Work } from './work.ts'

const perSecond = 500
const turnMs = 20

/** REGISTER requests with credentials that are wrong, each with a nonce that the switch gave. */
export async function floodRegister(work: Work): Promise<void> {
  const { sipPort, realm } = work.order
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  let nonce = 'none'
  socket.on('message', bytes => {
    const text = bytes.toString()
    nonce = /nonce="([^"]+)"/.exec(text)?.[1] ?? nonce
    work.count(text.slice(8, 11))
  })
  let asked = 0
  const began = performance.now()
  while (!work.isOver) {
    for (; asked < ((performance.now() - began) / 1000) * perSecond; asked++) {
      const user = `user${asked % 100}`
      const digest = `Digest username="${user}", realm="${realm}", nonce="${nonce}", uri="sip:${realm}", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="x", response="${'0'.repeat(64)}"`
      socket.send(
        [
          `REGISTER sip:${realm} SIP/2.0`,
          `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${port}-${asked};rport`,
          `From: <sip:${user}@${realm}>;tag=${asked}`,
          `To: <sip:${user}@${realm}>`,
          `Call-ID: register-${port}-${asked}`,
          'CSeq: 2 REGISTER',
          'Max-Forwards: 70',
          `Contact: <sip:${user}@127.0.0.1:${port}>`,
          `Authorization: ${digest}`,
          'Content-Length: 0',
          '',
          '',
        ].join('\r\n'),
        sipPort,
        '127.0.0.1',
      )
    }
    await sleep(turnMs)
  }
  work.note('sent', asked)
  socket.close()
}
