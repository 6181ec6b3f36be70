import { createSocket, type RemoteInfo } from 'node:dgram'
import { serveQuestions } from '../subject.ts'
import type { CallPorts } from './ports.ts'

// The least that a program between two SIP peers must do in Node: every datagram received and sent on, unread.
serveQuestions<CallPorts>(async ({ listen, callee }) => {
  const near = createSocket('udp4')
  const far = createSocket('udp4')
  let caller: RemoteInfo | undefined
  near.on('message', (packet, from) => {
    caller = from
    far.send(packet, callee, '127.0.0.1')
  })
  far.on('message', packet => {
    if (caller !== undefined) near.send(packet, caller.port, caller.address)
  })
  await Promise.all([
    new Promise<void>(resolve => near.bind(listen, '127.0.0.1', resolve)),
    new Promise<void>(resolve => far.bind(0, '127.0.0.1', resolve)),
  ])
  return 'open'
})
