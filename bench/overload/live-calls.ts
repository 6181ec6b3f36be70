import { createSocket, type Socket } from 'node:dgram'
import { mediaPortSeen, Sipp } from '../../tests/rig/peers/sipp.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { until } from '../../tests/rig/probes/wait.ts'

const frameMs = 20
const samples = 160
const headerBytes = 12
/** Begins the sound of each packet, which is relayed untouched. */
const stamp = 0x5a07_1c0d
const receiveBuffer = 8 << 20

/** Calls between two peers through the switch, whose packets are counted at the other side, both ways. */
export class LiveCalls {
  readonly #sipps: Sipp[]
  readonly #near: Side
  readonly #far: Side
  #timer: NodeJS.Timeout | undefined
  #packet = Buffer.alloc(headerBytes + samples, 0xd5)

  private constructor(sipps: Sipp[], near: Side, far: Side) {
    this.#sipps = sipps
    this.#near = near
    this.#far = far
  }

  /** `number` dials on to the callee, who listens at `calleePort`. */
  static async open(calls: number, sipPort: number, number: string, calleePort: number): Promise<LiveCalls> {
    const [near, far] = [await Side.open(), await Side.open()]
    const hour = { pauseMs: 3_600_000, timeoutSeconds: 3_600, calls }
    const callee = new Sipp({ scenario: 'callee', localPort: calleePort, rtpPort: far.port, ...hour })
    await callee.listening()
    const caller = new Sipp({
      scenario: 'caller-hangs-up',
      remote: `127.0.0.1:${sipPort}`,
      localPort: await freePort(),
      rtpPort: near.port,
      service: number,
      from: '+254722000112',
      callsPerSecond: 5,
      ...hour,
    })
    const ports = (peer: Sipp, startLine: string) => [
      ...new Set(
        peer
          .messagesSoFar()
          .split(/^-{10,}.*$/m)
          .filter(message => message.includes(startLine) && message.includes('received'))
          .map(message => Number(/m=audio (\d+)/.exec(message)?.[1] ?? 0))
          .filter(port => port > 0),
      ),
    ]
    await until('the live calls', () => mediaPortSeen(caller, 'SIP/2.0 200 OK') !== undefined, 20_000)
    await until('all live calls', () => ports(caller, 'SIP/2.0 200 OK').length === calls, 30_000)
    near.to = ports(caller, 'SIP/2.0 200 OK')
    far.to = ports(callee, 'INVITE sip:')
    const live = new LiveCalls([caller, callee], near, far)
    live.#speak()
    return live
  }

  /** Packets sent and not arrived since the last time, both ways; what is on its way counts as arrived the next time. */
  takeLoss(): { readonly sent: number; readonly lost: number } {
    const sent = this.#near.sent + this.#far.sent
    const lost = sent - this.#near.received - this.#far.received
    for (const side of [this.#near, this.#far]) {
      side.sent = 0
      side.received = 0
    }
    return { sent, lost }
  }

  /** No packet more; resolves when what was on its way has arrived. */
  async pause(): Promise<void> {
    clearInterval(this.#timer)
    await new Promise(resolve => setTimeout(resolve, 500))
  }

  resume(): void {
    this.#speak()
  }

  close(): void {
    clearInterval(this.#timer)
    for (const sipp of this.#sipps) sipp.stop()
    this.#near.socket.close()
    this.#far.socket.close()
  }

  /** By the clock: a late timer sends what it owes, so that the rate is right. */
  #speak(): void {
    const began = performance.now()
    let frames = 0
    this.#timer = setInterval(() => {
      while (frames < (performance.now() - began) / frameMs) {
        frames++
        for (const side of [this.#near, this.#far]) side.speak(this.#packet)
      }
    }, frameMs / 4)
  }
}

class Side {
  readonly socket: Socket
  readonly port: number
  /** The switch's ports, one a call. */
  to: readonly number[] = []
  sent = 0
  received = 0
  #sequence = 0
  /** Of each call what was played last. */
  readonly #heard = new Map<number, number>()

  private constructor(socket: Socket, port: number) {
    this.socket = socket
    this.port = port
    socket.on('message', (packet: Buffer) => {
      // Not RTCP, no comfort noise, nothing that was concealed for a gap: what the other side has said, each packet once.
      if (packet.length !== headerBytes + samples || (packet[1]! & 0x7f) !== 0) return
      if (packet.readUInt32BE(headerBytes) !== stamp) return
      const call = packet.readUInt32BE(headerBytes + 4)
      const said = packet.readUInt32BE(headerBytes + 8)
      if (said <= (this.#heard.get(call) ?? -1)) return
      this.#heard.set(call, said)
      this.received++
    })
  }

  static async open(): Promise<Side> {
    const port = await freePort()
    const socket = createSocket('udp4')
    await new Promise<void>(resolve => socket.bind(port, '127.0.0.1', resolve))
    socket.setRecvBufferSize(receiveBuffer)
    return new Side(socket, port)
  }

  speak(packet: Buffer): void {
    const sequence = this.#sequence++
    packet[0] = 0x80
    packet[1] = 0
    packet.writeUInt16BE(sequence & 0xffff, 2)
    packet.writeUInt32BE((sequence * samples) >>> 0, 4)
    packet.writeUInt32BE(0x5a07_1000 + this.port, 8)
    packet.writeUInt32BE(stamp, headerBytes)
    packet.writeUInt32BE(sequence, headerBytes + 8)
    for (const port of this.to) {
      packet.writeUInt32BE(port, headerBytes + 4)
      // The socket keeps what it is given until it is sent.
      this.socket.send(Buffer.from(packet), port, '127.0.0.1')
      this.sent++
    }
  }
}
