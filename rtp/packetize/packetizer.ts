import { isOpusDtx } from '../codec/opus.ts'
import { OpusFrames } from '../codec/opus-frames.ts'
import { OpusPacker } from '../codec/opus-packer.ts'
import type { DatagramNetwork } from '../net/network.ts'
import { headerLength } from '../packet/header.ts'
import type { Destination, SenderEvents } from './destination.ts'
import type { HeldFrames, OutgoingStream } from './outgoing-stream.ts'

const opusUnitsPerMs = 48
/** Time beyond its length that an incomplete packet waits; then it is sent as it is: nothing follows it. */
const patienceMs = 20

/**
 * The last step of frames of audio that become packets of ours: one each or, of Opus, several in one for a remote that
 * asked for longer packets (ptime, RFC 7587 §7). What waits goes out before anything else of the stream.
 */
export class Packetizer implements HeldFrames {
  readonly #network: DatagramNetwork
  readonly #stream: OutgoingStream
  readonly #to: Destination
  readonly #events: SenderEvents
  readonly #send: (packet: Uint8Array, length: number) => void
  /** Made at the first need: most legs never hold anything. */
  #frames: OpusFrames | undefined
  #packer: OpusPacker | undefined
  /** What a packet of Opus is to last; 0 = whatever comes. */
  #packetUnits = 0
  #payloadType = 0
  #isPrompt = false
  /** When the first that waits was due, and when it came. */
  #dueAt = 0
  #heldAt = 0

  constructor(
    network: DatagramNetwork,
    stream: OutgoingStream,
    to: Destination,
    events: SenderEvents,
    send: (packet: Uint8Array, length: number) => void,
  ) {
    this.#network = network
    this.#stream = stream
    this.#to = to
    this.#events = events
    this.#send = send
  }

  /** Packets are made of several frames, which wait for each other. */
  get isPacking(): boolean {
    return this.#packer !== undefined
  }

  get units(): number {
    return this.#packer?.units ?? 0
  }

  /** Packets of Opus last `packetMs`, if what they are made of allows it; 0 = as it comes, and for every other codec. */
  agree(packetMs: number): void {
    this.flush()
    this.#packetUnits = packetMs * opusUnitsPerMs
  }

  /**
   * A frame whose payload of `bytes` lies in `packet` after the header, of `units`, due at `at`. `isSounded`: it is reported
   * as such.
   */
  put(
    packet: Uint8Array,
    payloadType: number,
    bytes: number,
    units: number,
    isSounded: boolean,
    at: number,
    now: number,
  ): void {
    if (this.#packetUnits > units) {
      this.join(packet, headerLength, payloadType, bytes, units, isSounded, at, now)
      return
    }
    this.#out(packet, payloadType, bytes, units, isSounded, at)
  }

  /** The frames of a packet of Opus, of `bytes` from `payload[from]` on, become part of packets as long as is wanted. */
  join(
    payload: Uint8Array,
    from: number,
    payloadType: number,
    bytes: number,
    units: number,
    isSounded: boolean,
    at: number,
    now: number,
  ): void {
    this.#frames ??= new OpusFrames()
    this.#packer ??= new OpusPacker()
    const frames = this.#frames
    const isWhole = frames.read(payload, from, bytes)
    if (isSounded !== this.#isPrompt || payloadType !== this.#payloadType) this.flush()
    this.#isPrompt = isSounded
    this.#payloadType = payloadType
    // No decoder would know what to do with it.
    if (!isWhole) {
      this.#stream.skip(units)
      return
    }
    const each = units / frames.count
    for (let i = 0; i < frames.count; i++) {
      this.#add(this.#packer, frames, i, payload, each, at + (i * each) / opusUnitsPerMs, now)
    }
    // Its sender is silent (DTX): nothing follows for a while.
    if (isOpusDtx(bytes)) this.flush()
  }

  describe(ptimeMs: number): string {
    return `packetize(${ptimeMs} ms)`
  }

  tick(now: number): void {
    if (this.units === 0) return
    if (now - this.#heldAt > this.#packetUnits / opusUnitsPerMs + patienceMs) this.flush()
  }

  flush(): void {
    const packer = this.#packer
    if (packer === undefined || packer.isEmpty) return
    const { units } = packer
    const packet = this.#network.slot()
    const bytes = packer.takeInto(packet, headerLength)
    if (!this.#to.maySend()) {
      this.#stream.skip(units)
      return
    }
    this.#out(packet, this.#payloadType, bytes, units, this.#isPrompt, this.#dueAt)
  }

  #add(
    packer: OpusPacker,
    { kind, starts, lengths }: OpusFrames,
    i: number,
    payload: Uint8Array,
    units: number,
    at: number,
    now: number,
  ): void {
    const length = lengths[i]!
    if (!packer.fits(kind, length, units, this.#packetUnits)) this.flush()
    if (packer.isEmpty) {
      this.#dueAt = at
      this.#heldAt = now
    }
    packer.add(kind, payload, starts[i]!, length, units)
    if (packer.units + units > this.#packetUnits) this.flush()
  }

  #out(packet: Uint8Array, payloadType: number, bytes: number, units: number, isSounded: boolean, at: number): void {
    const length = this.#stream.frame(packet, payloadType, bytes, units)
    if (isSounded) this.#events.promptFrame(packet, length, at)
    this.#send(packet, length)
  }
}
