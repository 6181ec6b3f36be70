import type { SrtpDump } from '../contract/session-dump.ts'
import type { MediaKeys } from '../srtp/media-keys.ts'
import { mostSrtpOverhead, type SrtpKeys } from '../srtp/profile.ts'
import { rejected, SrtpReceiver } from '../srtp/srtp-receiver.ts'
import { SrtpSender } from '../srtp/srtp-sender.ts'
import { type DatagramReceiver, type DatagramSocket, describeSocket } from './network.ts'

interface SocketPair {
  readonly rtp: DatagramSocket
  readonly rtcp: DatagramSocket
}

/**
 * A pair of sockets whose packets are protected by keys that signalling carries (RFC 4568). To its session they are
 * plain. Before there are keys, or the word that there will be none, nothing goes in or out.
 */
export class ProtectedPair implements SocketPair {
  readonly rtp: DatagramSocket
  readonly rtcp: DatagramSocket
  /** A packet came that was not protected with the remote's key. */
  onRejected: () => void = () => {}
  #state: 'waits' | 'plain' | 'protected' = 'waits'
  /**
   * Of every key that was ours, one a suite: it may be taken up again, after plain packets or another suite in between,
   * and must not count from the beginning then.
   */
  readonly #senders: { readonly keys: SrtpKeys; readonly sender: SrtpSender }[] = []
  #remote: SrtpKeys | undefined
  #sender: SrtpSender | undefined
  #receiver: SrtpReceiver | undefined

  /** `slot`: room for an outgoing packet. */
  constructor(pair: SocketPair, slot: () => Uint8Array) {
    const open = (packet: Uint8Array, length: number, isReport: boolean) => this.#open(packet, length, isReport)
    const seal = (packet: Uint8Array, length: number, isReport: boolean) => this.#seal(packet, length, isReport)
    const isProtected = () => this.isProtected
    this.rtp = new ProtectedSocket(pair.rtp, slot, false, open, seal, isProtected)
    this.rtcp = new ProtectedSocket(pair.rtcp, slot, true, open, seal, isProtected)
  }

  /** How packets are protected, without the keys. */
  get dump(): SrtpDump {
    return { state: this.#state, suite: this.isProtected ? this.#remote?.profile : undefined }
  }

  get isProtected(): boolean {
    return this.#state === 'protected'
  }

  /** Undefined: both sides have agreed on plain packets. Keys that stay the same go on where they were. */
  agree(keys: MediaKeys | undefined): void {
    if (keys === undefined) {
      this.#state = 'plain'
      return
    }
    this.#state = 'protected'
    this.#sender = this.#senderOf(keys.local)
    if (this.#remote !== undefined && isSame(this.#remote, keys.remote)) return
    this.#remote = keys.remote
    this.#receiver = new SrtpReceiver(keys.remote, this.#receiver)
  }

  #senderOf(keys: SrtpKeys): SrtpSender {
    const known = this.#senders.find(other => isSame(other.keys, keys))
    if (known !== undefined) return known.sender
    const sender = new SrtpSender(keys)
    this.#senders.push({ keys, sender })
    return sender
  }

  /** The length of the plain packet, or `rejected`. */
  #open(packet: Uint8Array, length: number, isReport: boolean): number {
    if (this.#state === 'plain') return length
    const receiver = this.#receiver
    if (this.#state === 'waits' || receiver === undefined) return rejected
    const plain = isReport ? receiver.openRtcp(packet, length) : receiver.openRtp(packet, length)
    if (plain === rejected) this.onRejected()
    return plain
  }

  /** The length of what is to be sent; 0 = nothing. */
  #seal(packet: Uint8Array, length: number, isReport: boolean): number {
    if (this.#state === 'plain') return length
    const sender = this.#sender
    if (this.#state === 'waits' || sender === undefined) return 0
    return isReport ? sender.sealRtcp(packet, length) : sender.sealRtp(packet, length)
  }
}

type Change = (packet: Uint8Array, length: number, isReport: boolean) => number

class ProtectedSocket implements DatagramSocket {
  readonly #socket: DatagramSocket
  readonly #slot: () => Uint8Array
  readonly #isReport: boolean
  readonly #open: Change
  readonly #seal: Change
  readonly #isProtected: () => boolean
  #receiver: DatagramReceiver | undefined

  constructor(
    socket: DatagramSocket,
    slot: () => Uint8Array,
    isReport: boolean,
    open: Change,
    seal: Change,
    isProtected: () => boolean,
  ) {
    this.#socket = socket
    this.#slot = slot
    this.#isReport = isReport
    this.#open = open
    this.#seal = seal
    this.#isProtected = isProtected
  }

  get port(): number {
    return this.#socket.port
  }

  get receiver(): DatagramReceiver | undefined {
    return this.#receiver
  }

  set receiver(receiver: DatagramReceiver | undefined) {
    this.#receiver = receiver
    this.#socket.receiver = receiver && this.#received
  }

  send(packet: Uint8Array, length: number, address: number, port: number): void {
    // What another socket received may have no room after it.
    let own = packet
    if (packet.length < length + mostSrtpOverhead) {
      own = this.#slot()
      for (let i = 0; i < length; i++) own[i] = packet[i]!
    }
    const sealed = this.#seal(own, length, this.#isReport)
    if (sealed > 0) this.#socket.send(own, sealed, address, port)
  }

  takeBack(): number {
    return this.#socket.takeBack?.() ?? 0
  }

  describe(): string {
    return `${this.#isProtected() ? 'srtp → ' : ''}${describeSocket(this.#socket)}`
  }

  close(): void {
    this.#socket.close()
  }

  readonly #received: DatagramReceiver = (packet, length, address, port) => {
    const plain = this.#open(packet, length, this.#isReport)
    if (plain !== rejected) this.#receiver?.(packet, plain, address, port)
  }
}

const isSame = (a: SrtpKeys, b: SrtpKeys): boolean =>
  a.profile === b.profile && isEqual(a.key, b.key) && isEqual(a.salt, b.salt)

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])
