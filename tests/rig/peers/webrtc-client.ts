import { randomBytes } from 'node:crypto'
import { parseAddress } from '../../../rtp/address/address.ts'
import { DtlsAssociation } from '../../../rtp/dtls/association.ts'
import { type DtlsCertificate, selfSigned } from '../../../rtp/dtls/certificate.ts'
import type { DtlsRole } from '../../../rtp/dtls/handshake.ts'
import { writeHeader } from '../../../rtp/index.ts'
import type { DatagramNetwork, DatagramSocket } from '../../../rtp/net/network.ts'
import { kindOf } from '../../../rtp/packet/demux.ts'
import { rejected, SrtpReceiver } from '../../../rtp/srtp/srtp-receiver.ts'
import { SrtpSender } from '../../../rtp/srtp/srtp-sender.ts'
import { stunAttributes } from '../../../rtp/stun/attributes.ts'
import { bindingMethod, parseStun } from '../../../rtp/stun/message.ts'
import { StunWriter } from '../../../rtp/stun/writer.ts'

const loopback = '127.0.0.1'
const checkAgainMs = 40
const consentAgainMs = 4000

interface Remote {
  readonly ufrag: string
  readonly key: Uint8Array
  readonly address: number
  readonly port: number
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, character => character.charCodeAt(0))
const found = (sdp: string, pattern: RegExp): string => {
  const value = pattern.exec(sdp)?.[1]
  if (value === undefined) throw new Error(`nothing like ${pattern} in\n${sdp}`)
  return value
}

/**
 * The media side of a browser, of a test's own making: checks, handshake and protected packets over one socket of the
 * network that it is given. Whoever owns the network calls `tick`, `receive` and `flush`.
 */
export class WebrtcClient {
  /** Plain packets of the remote: borrowed, to be read at once. */
  onRtp: (packet: Uint8Array, length: number) => void = () => {}
  onConnected: () => void = () => {}
  /** Packets that were not authentic, or came twice. */
  rejected = 0
  readonly certificate: DtlsCertificate
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  readonly #codec: string
  readonly #ufrag = randomBytes(6).toString('hex')
  readonly #password = randomBytes(12).toString('hex')
  readonly #ssrc = randomBytes(4).readUInt32BE()
  #far: Remote | undefined
  #association: DtlsAssociation | undefined
  #handshake: { readonly role: DtlsRole; readonly fingerprint: string } | undefined
  #sender: SrtpSender | undefined
  #receiver: SrtpReceiver | undefined
  #checkAt = Infinity
  #isChecked = false
  #sequence = 1
  #rtpTime = 0
  #now = 0

  private constructor(network: DatagramNetwork, socket: DatagramSocket, codec: string, certificate: DtlsCertificate) {
    this.#network = network
    this.#socket = socket
    this.#codec = codec
    this.certificate = certificate
    socket.receiver = (packet, length, address, port) => this.#receive(packet, length, address, port)
  }

  /** `codec`: an `a=rtpmap` such as `0 PCMU/8000`. A certificate of its own, unless one is given. */
  static open(network: DatagramNetwork, codec = '0 PCMU/8000', certificate?: DtlsCertificate): Promise<WebrtcClient> {
    return new Promise((resolve, reject) =>
      network.bind(0, socket => {
        if (socket === undefined) return reject(new Error('no port for a client'))
        const own = certificate ?? selfSigned(Date.now(), new Uint8Array(randomBytes(8)).fill(1, 0, 1))
        resolve(new WebrtcClient(network, socket, codec, own))
      }),
    )
  }

  get port(): number {
    return this.#socket.port
  }

  /** Where media goes. */
  get farPort(): number {
    return this.#far?.port ?? 0
  }

  /** Keys are agreed on. */
  get isConnected(): boolean {
    return this.#receiver !== undefined
  }

  get state(): string {
    const { detail, state } = this.#association ?? {
      detail: this.#isChecked ? 'checked' : 'no check answered',
      state: '',
    }
    return `${state} ${detail}`
  }

  offer(): string {
    return this.#describe('actpass')
  }

  /** Their offer is taken: our answer. We shake hands first. */
  answer(offer: string): string {
    this.#meet(offer, 'client')
    return this.#describe('active')
  }

  /** Their answer to our offer. */
  accept(answer: string): void {
    this.#meet(answer, found(answer, /^a=setup:(\w+)/m) === 'passive' ? 'client' : 'server')
  }

  /** One packet of 20 ms. False before there are keys. */
  say(payload: Uint8Array, samples = 160): boolean {
    const far = this.#far
    if (this.#sender === undefined || far === undefined) return false
    const slot = this.#network.slot()
    const payloadType = Number.parseInt(this.#codec, 10)
    const sequence = this.#sequence
    this.#sequence = (sequence + 1) & 0xffff
    this.#rtpTime = (this.#rtpTime + samples) >>> 0
    writeHeader(slot, { payloadType, marker: sequence === 1, sequence, timestamp: this.#rtpTime, ssrc: this.#ssrc })
    slot.set(payload, 12)
    const length = this.#sender.sealRtp(slot, 12 + payload.length)
    this.#socket.send(slot, length, far.address, far.port)
    return true
  }

  /** Bytes from our address that are not ours: as an attacker would forge them. */
  sendRaw(bytes: Uint8Array): void {
    if (this.#far === undefined) return
    const slot = this.#network.slot()
    slot.set(bytes)
    this.#socket.send(slot, bytes.length, this.#far.address, this.#far.port)
  }

  tick(now: number): void {
    this.#now = now
    if (now >= this.#checkAt) this.#check(now)
    const association = this.#association
    if (association !== undefined && now >= association.deadline()) association.tick(now)
  }

  close(): void {
    this.#association?.close()
    this.#socket.close()
  }

  #meet(sdp: string, role: DtlsRole): void {
    const near = /^a=candidate:(\S+ \d+ udp \d+ 127\.0\.0\.1 \d+ typ host.*)/im
    const candidate = found(sdp, near.test(sdp) ? near : /^a=candidate:(.* typ host.*)/m).split(' ')
    this.#far = {
      ufrag: found(sdp, /^a=ice-ufrag:(\S+)/m),
      key: bytesOf(found(sdp, /^a=ice-pwd:(\S+)/m)),
      address: parseAddress(candidate[4] ?? '') ?? 0,
      port: Number(candidate[5]),
    }
    this.#handshake = { role, fingerprint: found(sdp, /^a=fingerprint:sha-256 (\S+)/im) }
    this.#checkAt = 0
  }

  #check(now: number): void {
    const far = this.#far
    if (far === undefined) return
    this.#checkAt = now + (this.#isChecked ? consentAgainMs : checkAgainMs)
    const slot = this.#network.slot()
    const writer = new StunWriter(slot, 'request', bindingMethod, randomBytes(12))
      .text(stunAttributes.username, `${far.ufrag}:${this.#ufrag}`)
      .word(stunAttributes.priority, 0x6e7f1eff)
      .bytes(stunAttributes.iceControlling, new Uint8Array(8).fill(255))
      .bytes(stunAttributes.useCandidate, new Uint8Array(0))
    this.#socket.send(slot, writer.seal(far.key), far.address, far.port)
  }

  #receive(packet: Uint8Array, length: number, address: number, port: number): void {
    switch (kindOf(packet, length)) {
      case 'stun':
        this.#receiveStun(packet, length, address, port)
        return
      case 'dtls':
        this.#association?.receive(packet.slice(0, length), length, this.#now)
        this.#connected()
        return
      case 'rtp': {
        const plain = this.#receiver?.openRtp(packet, length) ?? rejected
        if (plain === rejected) this.rejected++
        else this.onRtp(packet, plain)
        return
      }
      default:
    }
  }

  #receiveStun(packet: Uint8Array, length: number, address: number, port: number): void {
    const parsed = parseStun(packet, length)
    if (!parsed.ok) return
    if (parsed.value.class === 'request') {
      const slot = this.#network.slot()
      const answer = StunWriter.answer(slot, 'success', parsed.value).mapped(address, port)
      this.#socket.send(slot, answer.seal(bytesOf(this.#password)), address, port)
    } else if (parsed.value.class === 'success' && !this.#isChecked) {
      this.#isChecked = true
      this.#checkAt = this.#now + consentAgainMs
      this.#shakeHands()
    }
  }

  #shakeHands(): void {
    const handshake = this.#handshake
    if (handshake === undefined) return
    this.#association = new DtlsAssociation(
      {
        role: handshake.role,
        certificate: this.certificate,
        fingerprints: [{ algorithm: 'sha-256', value: handshake.fingerprint }],
        profiles: ['AES_CM_128_HMAC_SHA1_80'],
        randomBytes,
        send: datagram => this.sendRaw(datagram),
      },
      this.#now,
    )
    this.#association.start(this.#now)
  }

  #connected(): void {
    const keys = this.#association?.keys
    if (keys === undefined || this.#receiver !== undefined) return
    this.#sender = new SrtpSender(keys.local)
    this.#receiver = new SrtpReceiver(keys.remote)
    this.onConnected()
  }

  #describe(setup: 'actpass' | 'active'): string {
    const payloadType = Number.parseInt(this.#codec, 10)
    return [
      'v=0',
      `o=- 1 1 IN IP4 ${loopback}`,
      's=-',
      't=0 0',
      'a=group:BUNDLE 0',
      `m=audio ${this.port} UDP/TLS/RTP/SAVPF ${payloadType} 126`,
      `c=IN IP4 ${loopback}`,
      'a=mid:0',
      'a=sendrecv',
      'a=rtcp-mux',
      `a=ice-ufrag:${this.#ufrag}`,
      `a=ice-pwd:${this.#password}`,
      `a=fingerprint:sha-256 ${this.certificate.fingerprint}`,
      `a=setup:${setup}`,
      `a=rtpmap:${this.#codec}`,
      'a=rtpmap:126 telephone-event/8000',
      `a=ssrc:${this.#ssrc} cname:bed`,
      `a=candidate:1 1 udp 2130706431 ${loopback} ${this.port} typ host`,
      'a=end-of-candidates',
      '',
    ].join('\r\n')
  }
}
