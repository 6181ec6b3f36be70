import type { NativeCalls } from './libc.ts'

// As in rtp/io/message-batch.ts, with room for control messages: the kernel's own time of each packet.
const headerBytes = 64
const vectorBytes = 16
const nameBytes = 16
const controlBytes = 64
const slotBytes = 1536
const burst = 64
const inet = 2
const datagramNonBlocking = 2 | 0o4000 | 0o2000000
const socketLevel = 1
const levelIp = 0
const packetInfo = 8
const loopback = 0x7f00_0001
const receiveBuffer = 8
const receiveBufferForced = 33
/** SO_MEMINFO: nine numbers of the socket's memory (<linux/sock_diag.h>), the last of them what was dropped for want of it. */
const memoryInfo = 55
const memoryInfoBytes = 36
const droppedAt = 32
const timestampNs = 35
const dontWait = 0x40
const wantedBuffer = 4 << 20

/**
 * The packet lies in `bytes` until the receiver is read again. `atMs`: by the kernel's clock, when it was sent. `to`: the
 * address that it was sent to, of a receiver on all addresses; else 0.
 */
type TimedPacket = (bytes: Uint8Array, length: number, fromPort: number, atMs: number, to: number) => void

/**
 * A UDP socket of the loopback whose packets carry the moment at which the kernel took them: how late the reader is
 * does not show in it. Only packets of the first moment, before the kernel has begun to take the time for any socket of
 * the machine, have the time at which they were read.
 */
export class TimedReceiver {
  readonly fd: number
  readonly port: number
  readonly #native: NativeCalls
  readonly #isOnAll: boolean
  readonly #view: DataView
  readonly #slots: Uint8Array[] = []
  readonly #base: bigint
  readonly #namesAt: number
  readonly #controlsAt: number
  readonly #scratchAt: number

  /** `isOnAll`: it receives at every address of the loopback, 127.0.0.0/8. */
  constructor(native: NativeCalls, isOnAll = false) {
    const { libc } = native
    this.#native = native
    this.#isOnAll = isOnAll
    const vectorsAt = burst * headerBytes
    this.#namesAt = vectorsAt + burst * vectorBytes
    this.#controlsAt = this.#namesAt + burst * nameBytes
    const slotsAt = this.#controlsAt + burst * controlBytes
    const memory = native.allocate(slotsAt + burst * slotBytes + 64)
    new Uint8Array(memory.buffer).fill(0)
    this.#view = new DataView(memory.buffer)
    this.#base = memory.address
    for (let i = 0; i < burst; i++) {
      const at = i * headerBytes
      this.#pointer(at, this.#namesAt + i * nameBytes)
      this.#pointer(at + 16, vectorsAt + i * vectorBytes)
      this.#view.setUint32(at + 24, 1, true)
      this.#pointer(at + 32, this.#controlsAt + i * controlBytes)
      this.#pointer(vectorsAt + i * vectorBytes, slotsAt + i * slotBytes)
      this.#view.setUint32(vectorsAt + i * vectorBytes + 8, slotBytes, true)
      this.#slots.push(new Uint8Array(memory.buffer, slotsAt + i * slotBytes, slotBytes))
    }
    const scratch = slotsAt + burst * slotBytes
    this.#scratchAt = scratch
    const scratchPointer = this.#base + BigInt(scratch)
    this.fd = libc.socket(inet, datagramNonBlocking, 0)
    this.#view.setUint16(scratch, inet, true)
    this.#view.setInt32(scratch + 4, isOnAll ? 0 : loopback, false)
    this.#view.setUint32(scratch + 32, nameBytes, true)
    const bound =
      libc.bind(this.fd, scratchPointer, nameBytes) === 0 &&
      libc.getsockname(this.fd, scratchPointer, scratchPointer + 32n) === 0
    if (this.fd < 0 || !bound) throw new Error('no socket for the generator of the load')
    this.port = this.#view.getUint16(scratch + 2, false)
    this.#view.setInt32(scratch, 1, true)
    libc.setsockopt(this.fd, socketLevel, timestampNs, scratchPointer, 4)
    if (isOnAll) libc.setsockopt(this.fd, levelIp, packetInfo, scratchPointer, 4)
    this.#view.setInt32(scratch, wantedBuffer, true)
    // A process that may goes beyond the system's ceiling.
    if (libc.setsockopt(this.fd, socketLevel, receiveBufferForced, scratchPointer, 4) !== 0)
      libc.setsockopt(this.fd, socketLevel, receiveBuffer, scratchPointer, 4)
  }

  /** Packets that the kernel has dropped since the start, as more of them waited here than there was room for. */
  get dropped(): number {
    const scratch = this.#base + BigInt(this.#scratchAt)
    this.#view.setUint32(this.#scratchAt + 40, memoryInfoBytes, true)
    this.#native.libc.getsockopt(this.fd, socketLevel, memoryInfo, scratch, scratch + 40n)
    return this.#view.getUint32(this.#scratchAt + droppedAt, true)
  }

  /** Hands over all that has come. */
  read(each: TimedPacket): void {
    for (;;) {
      for (let i = 0; i < burst; i++) {
        this.#view.setUint32(i * headerBytes + 8, nameBytes, true)
        this.#view.setUint32(i * headerBytes + 40, controlBytes, true)
      }
      const count = this.#native.libc.recvmmsg(this.fd, this.#base, burst, dontWait, 0n)
      for (let i = 0; i < count; i++) {
        const length = this.#view.getUint32(i * headerBytes + 56, true)
        // struct cmsghdr: 8 bytes of length, level, type; then the timespec. After it, the same with an in_pktinfo.
        const control = this.#controlsAt + i * controlBytes + 16
        const seconds = Number(this.#view.getBigInt64(control, true))
        const nanoseconds = Number(this.#view.getBigInt64(control + 8, true))
        const to = this.#isOnAll ? this.#view.getInt32(control + 40, false) : 0
        const port = this.#view.getUint16(this.#namesAt + i * nameBytes + 2, false)
        each(this.#slots[i]!, length, port, seconds * 1000 + nanoseconds / 1e6, to)
      }
      if (count < burst) return
    }
  }

  close(): void {
    this.#native.libc.close(this.fd)
  }

  #pointer(at: number, to: number): void {
    this.#view.setBigUint64(at, this.#base + BigInt(to), true)
  }
}
