import { type DatagramSocket, openNetwork } from '../rtp/io/index.ts'
import type { Legs } from './relay/legs.ts'
import { type Figure, ratioOf } from './report.ts'
import { Subject } from './subject.ts'

// Question: what processor time does a relayed G.711 packet cost (received, rewritten, sent; two legs bridged, 20 ms
// packets of 172 bytes), against a bare relay on node:dgram under the same load, rounds taking turns?
const legs = 400
const loopback = 0x7f000001

interface Round {
  readonly microsPerPacket: number
  readonly lost: number
}

async function round(subject: string, seconds: number): Promise<Round> {
  const measured = new Subject(new URL(`./relay/${subject}.ts`, import.meta.url))
  const network = openNetwork({ address: '127.0.0.1' })
  const sockets: DatagramSocket[] = []
  for (let leg = 0; leg < legs; leg++)
    await new Promise<void>((resolve, reject) =>
      network.bind(0, socket => {
        if (socket === undefined) return reject(new Error('no port for the load'))
        sockets.push(socket)
        resolve()
      }),
    )
  let received = 0
  for (const socket of sockets)
    socket.receiver = () => {
      received++
    }
  const legPorts: Legs = { legs, peerPorts: sockets.map(socket => socket.port) }
  const ports = await measured.ask<readonly number[]>(legPorts)

  let sent = 0
  let sequence = 0
  const beat = () => {
    // A fifth of the legs each 4 ms, as calls that began at different moments.
    const part = sequence % 5
    for (let leg = part; leg < legs; leg += 5) {
      const packet = network.slot()
      packet[0] = 0x80
      packet[1] = 0
      const number = Math.floor(sequence / 5)
      packet[2] = number >> 8
      packet[3] = number
      const rtpTime = number * 160
      packet[4] = rtpTime >> 24
      packet[5] = rtpTime >> 16
      packet[6] = rtpTime >> 8
      packet[7] = rtpTime
      packet[8] = 1
      packet[9] = 2
      packet[10] = leg >> 8
      packet[11] = leg
      sockets[leg]!.send(packet, 172, loopback, ports[leg]!)
      sent++
    }
    sequence++
    network.flush()
    network.receive()
  }
  const load = (forMs: number): Promise<void> =>
    new Promise(resolve => {
      const start = performance.now()
      let done = 0
      const step = () => {
        const due = Math.floor((performance.now() - start) / 4)
        for (; done < due; done++) beat()
        if (performance.now() - start < forMs) setTimeout(step, 1)
        else resolve()
      }
      step()
    })

  await load(1500)
  const before = await measured.cpuMicros()
  const sentBefore = sent
  await load(seconds * 1000)
  const after = await measured.cpuMicros()
  const packets = sent - sentBefore
  for (let wait = 0; wait < 20; wait++) {
    await new Promise(resolve => setTimeout(resolve, 5))
    network.receive()
  }
  measured.stop()
  network.close()
  return { microsPerPacket: (after - before) / packets, lost: (sent - received) / sent }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

export async function run(short: boolean): Promise<Figure[]> {
  const rounds = short ? 1 : 5
  const seconds = short ? 2 : 5
  const ours: Round[] = []
  const plain: Round[] = []
  for (let at = 0; at < rounds; at++) {
    ours.push(await round('switch', seconds))
    plain.push(await round('plain-dgram', seconds))
  }
  const figure = {
    what: `G.711 packet relayed, ${legs / 2} calls`,
    value: median(ours.map(it => it.microsPerPacket)),
    unit: 'µs',
    baseline: median(plain.map(it => it.microsPerPacket)),
    of: 'bare relay on node:dgram',
  }
  const loss = {
    what: `… packets lost of ${(legs * 50).toLocaleString('en')} a second`,
    value: median(ours.map(it => it.lost)) * 100,
    unit: '%',
    baseline: median(plain.map(it => it.lost)) * 100,
    of: 'bare relay on node:dgram',
  }
  return [
    { ...figure, ratio: ratioOf(figure) },
    { ...loss, ratio: loss.baseline === 0 ? 0 : ratioOf(loss) },
  ]
}
