import { randomBytes } from 'node:crypto'
import { type DtlsCertificate, selfSigned } from '../../../rtp/dtls/certificate.ts'
import { openNetwork } from '../../../rtp/io/index.ts'
import type { DatagramNetwork } from '../../../rtp/net/network.ts'
import { WebrtcClient } from './webrtc-client.ts'

const tickMs = 5

/** Clients on one network of 127.0.0.1, and the clock that moves them. */
export class WebrtcLines {
  readonly network: DatagramNetwork = openNetwork({ address: '127.0.0.1' })
  readonly #clients = new Set<WebrtcClient>()
  readonly #certificate: DtlsCertificate = selfSigned(Date.now(), new Uint8Array(randomBytes(8)).fill(1, 0, 1))
  readonly #timer: ReturnType<typeof setInterval>
  /** Called every tick, before what is queued goes out. */
  onTick: (now: number) => void = () => {}

  constructor() {
    this.#timer = setInterval(() => {
      const now = performance.now()
      this.network.receive()
      for (const client of this.#clients) client.tick(now)
      this.onTick(now)
      this.network.flush()
    }, tickMs)
  }

  async open(codec?: string): Promise<WebrtcClient> {
    const client = await WebrtcClient.open(this.network, codec, this.#certificate)
    this.#clients.add(client)
    return client
  }

  close(client: WebrtcClient): void {
    this.#clients.delete(client)
    client.close()
  }

  stop(): void {
    clearInterval(this.#timer)
    for (const client of this.#clients) this.close(client)
    this.network.close()
  }
}
