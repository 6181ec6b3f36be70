import { createSocket } from 'node:dgram'
import { serveQuestions } from '../subject.ts'
import type { Legs } from './legs.ts'

// The least that any relay in Node must do: a node:dgram socket a leg, the header rewritten in place, sent on.
serveQuestions<Legs>(async ({ legs, peerPorts }) => {
  const sockets = await Promise.all(
    Array.from(
      { length: legs },
      () =>
        new Promise<ReturnType<typeof createSocket>>(resolve => {
          const socket = createSocket('udp4')
          socket.bind(0, '127.0.0.1', () => resolve(socket))
        }),
    ),
  )
  sockets.forEach((socket, leg) => {
    const other = leg ^ 1
    let sequence = 0
    socket.on('message', packet => {
      packet.writeUInt16BE(sequence++ & 0xffff, 2)
      packet.writeUInt32BE(leg, 8)
      sockets[other]!.send(packet, peerPorts[other]!, '127.0.0.1')
    })
  })
  return sockets.map(socket => socket.address().port)
})
