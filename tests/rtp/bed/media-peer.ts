import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Agreement, EngineEvent } from '../../../rtp/worker/index.ts'
import { agreed } from './agreement.ts'
import { fieldsOf, rtp } from './rtp-packet.ts'

export type Heard = ReturnType<typeof fieldsOf> & { readonly port: number }

/** A remote on real sockets: it keeps all that it receives, and sends what it is asked to. */
export class MediaPeer {
  readonly rtp: Socket
  readonly rtcp: Socket
  readonly received: Heard[] = []
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
      this.received.push({ ...fieldsOf({ at: performance.now(), bytes: packet }), port: from.port })
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

  packet(payload: Uint8Array, { payloadType = 0, marker = false, step = payload.length } = {}): Uint8Array {
    const { sequence, timestamp, ssrc } = this
    this.sequence = (sequence + 1) & 0xffff
    this.timestamp = (timestamp + step) >>> 0
    return rtp(payload, { payloadType, marker, sequence, timestamp, ssrc })
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
    const { port } = this
    const remote = { address: '127.0.0.1', port, rtcpPort: this.rtcp.address().port }
    return agreed(port, { remote, ...changes })
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
