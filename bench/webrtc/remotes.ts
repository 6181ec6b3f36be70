import { writeHeader } from '../../rtp/index.ts'
import { openNetwork } from '../../rtp/io/index.ts'
import type { DatagramNetwork, DatagramSocket } from '../../rtp/net/network.ts'
import { WebrtcClient } from '../../tests/rig/peers/webrtc-client.ts'

const loopback = 0x7f000001
const beatMs = 4
/** A fifth of the remotes each beat, as calls that began at different moments. */
const parts = 5
const payload = new Uint8Array(160).fill(0x55)
/** Not silence of the measured program's own; it may have added a header extension. */
const isOurs = (packet: Uint8Array, length: number): boolean => length >= 172 && packet[length - 1] === 0x55

interface Remote {
  readonly offer: string
  accept(answer: string): void
  readonly isConnected: boolean
  say(): void
  tick(now: number): void
  close(): void
}

/** Plain RTP, as a trunk sends it. */
class PlainEnd implements Remote {
  readonly offer: string
  isConnected = false
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  #remotePort = 0
  #sequence = 0

  constructor(network: DatagramNetwork, socket: DatagramSocket, heard: () => void) {
    this.#network = network
    this.#socket = socket
    socket.receiver = (packet, length) => {
      if (isOurs(packet, length)) heard()
    }
    this.offer = [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      `m=audio ${socket.port} RTP/AVP 0`,
      'a=rtpmap:0 PCMU/8000',
      '',
    ].join('\r\n')
  }

  accept(answer: string): void {
    this.#remotePort = Number(/^m=audio (\d+) /m.exec(answer)?.[1])
    this.isConnected = true
  }

  say(): void {
    const sequence = this.#sequence++ & 0xffff
    const slot = this.#network.slot()
    const timestamp = this.#sequence * 160
    const length = writeHeader(slot, { payloadType: 0, marker: false, sequence, timestamp, ssrc: this.#socket.port })
    slot.set(payload, length)
    this.#socket.send(slot, length + payload.length, loopback, this.#remotePort)
  }

  tick(): void {}

  close(): void {
    this.#socket.close()
  }
}

/** A browser, as far as media goes. */
class BrowserEnd implements Remote {
  readonly offer: string
  readonly #client: WebrtcClient

  constructor(client: WebrtcClient, heard: () => void) {
    this.#client = client
    this.offer = client.offer()
    client.onRtp = (packet, length) => {
      if (isOurs(packet, length)) heard()
    }
  }

  get isConnected(): boolean {
    return this.#client.isConnected
  }

  accept(answer: string): void {
    this.#client.accept(answer)
  }

  say(): void {
    this.#client.say(payload)
  }

  tick(now: number): void {
    this.#client.tick(now)
  }

  close(): void {
    this.#client.close()
  }
}

/** The load's side: remotes on one network, each with a socket of its own. */
export class Remotes {
  sent = 0
  received = 0
  readonly #network = openNetwork({ address: '127.0.0.1' })
  readonly #ends: Remote[] = []
  #beats = 0

  async add(kind: 'browser' | 'plain'): Promise<void> {
    const heard = () => {
      this.received++
    }
    if (kind === 'browser') {
      this.#ends.push(new BrowserEnd(await WebrtcClient.open(this.#network), heard))
      return
    }
    const socket = await new Promise<DatagramSocket>((resolve, reject) =>
      this.#network.bind(0, bound => (bound === undefined ? reject(new Error('no port')) : resolve(bound))),
    )
    this.#ends.push(new PlainEnd(this.#network, socket, heard))
  }

  get offers(): readonly string[] {
    return this.#ends.map(({ offer }) => offer)
  }

  /** Resolves when all have keys; throws after ten seconds. */
  async accept(answers: readonly string[]): Promise<void> {
    this.#ends.forEach((end, i) => {
      end.accept(answers[i] ?? '')
    })
    const until = performance.now() + 10_000
    while (this.#ends.some(({ isConnected }) => !isConnected)) {
      if (performance.now() > until) throw new Error('not all remotes have got keys')
      this.#turn()
      await new Promise(resolve => setTimeout(resolve, 1))
    }
  }

  /** All send a packet every 20 ms, for this time. */
  load(forMs: number): Promise<void> {
    return new Promise(resolve => {
      const start = performance.now()
      const first = this.#beats
      const step = () => {
        const due = Math.floor((performance.now() - start) / beatMs)
        while (this.#beats - first < due) this.#beat()
        if (performance.now() - start < forMs) setTimeout(step, 1)
        else resolve()
      }
      step()
    })
  }

  /** What is still on its way arrives: until nothing has come for a fifth of a second. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 40; quiet++) {
      const before = this.received
      await new Promise(resolve => setTimeout(resolve, 5))
      this.#turn()
      if (this.received !== before) quiet = 0
    }
  }

  /** Without a goodbye, so that their end costs the measured program nothing. */
  close(): void {
    for (const end of this.#ends.splice(0)) end.close()
    this.#network.flush()
    this.#network.close()
  }

  #beat(): void {
    for (let i = this.#beats++ % parts; i < this.#ends.length; i += parts) {
      this.#ends[i]?.say()
      this.sent++
    }
    this.#turn()
  }

  #turn(): void {
    const now = performance.now()
    this.#network.receive()
    for (const end of this.#ends) end.tick(now)
    this.#network.flush()
  }
}
