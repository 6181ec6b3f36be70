import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Agreement, EngineEvent } from '../../rtp/worker/index.ts'

export interface Heard {
  readonly at: number
  readonly marker: boolean
  readonly payloadType: number
  readonly sequence: number
  readonly timestamp: number
  readonly ssrc: number
  readonly payload: Buffer
  readonly port: number
}

/** A far end on real sockets: it keeps all that it hears and says what it is told to. */
export class MediaPeer {
  readonly rtp: Socket
  readonly rtcp: Socket
  readonly heard: Heard[] = []
  readonly reports: Buffer[] = []
  sequence = 1000
  timestamp = 50_000
  ssrc = 0x11223344
  /** Where it sends. */
  to = 0

  constructor(rtp: Socket, rtcp: Socket) {
    this.rtp = rtp
    this.rtcp = rtcp
    rtp.on('message', (packet, from) => {
      this.heard.push({
        at: performance.now(),
        marker: (packet[1]! & 0x80) !== 0,
        payloadType: packet[1]! & 0x7f,
        sequence: packet.readUInt16BE(2),
        timestamp: packet.readUInt32BE(4),
        ssrc: packet.readUInt32BE(8),
        payload: packet.subarray(12),
        port: from.port,
      })
    })
    rtcp.on('message', packet => this.reports.push(packet))
  }

  static async open(): Promise<MediaPeer> {
    const bind = async () => {
      const socket = createSocket('udp4')
      socket.bind(0, '127.0.0.1')
      await once(socket, 'listening')
      return socket
    }
    return new MediaPeer(await bind(), await bind())
  }

  get port(): number {
    return this.rtp.address().port
  }

  packet(payload: Uint8Array, { payloadType = 0, marker = false, step = payload.length } = {}): Buffer {
    const packet = Buffer.alloc(12 + payload.length)
    packet[0] = 0x80
    packet[1] = (marker ? 0x80 : 0) | payloadType
    packet.writeUInt16BE(this.sequence, 2)
    packet.writeUInt32BE(this.timestamp, 4)
    packet.writeUInt32BE(this.ssrc, 8)
    packet.set(payload, 12)
    this.sequence = (this.sequence + 1) & 0xffff
    this.timestamp = (this.timestamp + step) >>> 0
    return packet
  }

  send(bytes: Uint8Array): void {
    this.rtp.send(bytes, this.to, '127.0.0.1')
  }

  /** Sends `payload` in packets of `ptimeMs`, in real time. */
  async speak(payload: Uint8Array, { ptimeMs = 20, payloadType = 0 } = {}): Promise<void> {
    const bytes = ptimeMs * 8
    const began = performance.now()
    for (let at = 0; at < payload.length; at += bytes) {
      this.send(this.packet(payload.subarray(at, at + bytes), { payloadType, marker: at === 0 }))
      const due = began + (at / bytes + 1) * ptimeMs
      await sleep(Math.max(0, due - performance.now()))
    }
  }

  agreement(changes: Partial<Agreement> = {}): Agreement {
    return {
      remote: { address: '127.0.0.1', port: this.port, rtcpPort: this.rtcp.address().port },
      send: true,
      receive: true,
      codec: 'PCMU',
      payloadType: 0,
      accept: [{ payloadType: 0, codec: 'PCMU' }],
      sendEvents: 101,
      acceptEvents: 101,
      ptimeMs: 20,
      ptimeAsked: false,
      ...changes,
    }
  }

  close(): void {
    this.rtp.close()
    this.rtcp.close()
  }
}

export const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Events as they come, and a way to wait for one. */
export class EventLog {
  readonly events: EngineEvent[] = []
  #waiting: (() => void)[] = []

  readonly emit = (event: EngineEvent): void => {
    this.events.push(event)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async next<Type extends EngineEvent['type']>(
    type: Type,
    session?: string,
    timeoutMs = 5000,
  ): Promise<Extract<EngineEvent, { readonly type: Type }>> {
    const until = performance.now() + timeoutMs
    for (;;) {
      const at = this.events.findIndex(
        event => event.type === type && (session === undefined || event.session === session),
      )
      if (at !== -1) return this.events.splice(at, 1)[0] as Extract<EngineEvent, { readonly type: Type }>
      if (performance.now() > until) throw new Error(`no ${type}: ${JSON.stringify(this.events)}`)
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, 100)
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }
}

/** A range of ports of which some pair is free: away from the ephemeral ones, at a random place. */
export const testPorts = (pairs = 50): readonly [first: number, last: number] => {
  const first = 20_000 + 2 * Math.floor(Math.random() * 5000)
  return [first, first + 2 * pairs - 1]
}

/** Bytes without regularity: every gap, repeat or exchange shows. */
export const noise = (length: number, seed = 1): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 16
  })
}
