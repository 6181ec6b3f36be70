import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { PieceCount } from '../../core/index.ts'
import { answerNoHttp } from '../answer/no-http.ts'

/** A piece of a body that is shorter is copied together with its neighbours. */
const smallBytes = 1024
/** So much is gathered before it is passed on; what came in one reading of the socket is passed on in any case. */
const gatheredBytes = 8 * 1024

/**
 * A request whose body may come in very small pieces. Node makes a Buffer and a call of each chunk (RFC 9112 §7.1): chunks of
 * one octet take four hundred times of their length in memory, and a client without a key can send 10,000 of them at once.
 */
export class GatheredRequest extends IncomingMessage {
  readonly #writtenBefore: number
  #gathered: Buffer | undefined
  #length = 0
  readonly #pieces = new PieceCount()
  #isWaiting = false
  #isRefused = false

  constructor(socket: Socket) {
    super(socket)
    this.#writtenBefore = socket.bytesWritten
  }

  /** How Node's parser delivers each piece, and the end; false: it stops reading. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#isRefused) return false
    if (piece === null) {
      this.#passOn()
      return super.push(null)
    }
    if (!this.#pieces.add(piece.length)) return this.#refuse()
    if (piece.length < smallBytes) return this.#gather(piece)
    this.#passOn()
    return super.push(piece, encoding)
  }

  #gather(piece: Buffer): boolean {
    if (this.#length + piece.length > gatheredBytes) this.#passOn()
    this.#gathered ??= Buffer.allocUnsafeSlow(gatheredBytes)
    this.#gathered.set(piece, this.#length)
    this.#length += piece.length
    if (!this.#isWaiting) {
      this.#isWaiting = true
      setImmediate(() => {
        this.#isWaiting = false
        if (!this.readableEnded && !this.destroyed) this.#passOn()
      })
    }
    return this.readableLength + this.#length < this.readableHighWaterMark
  }

  #passOn(): void {
    if (this.#gathered === undefined) return
    const gathered = this.#gathered.subarray(0, this.#length)
    this.#gathered = undefined
    this.#length = 0
    // A few octets do not keep a buffer of thousands.
    super.push(gathered.length < smallBytes ? Buffer.from(gathered) : gathered)
  }

  #refuse(): false {
    this.#isRefused = true
    this.#gathered = undefined
    const { socket } = this
    // Where an answer has begun, there is no room for another.
    if (socket.bytesWritten !== this.#writtenBefore) socket.destroy()
    else answerNoHttp({ name: 'Error', message: 'small pieces', code: 'SMALL_PIECES' }, socket)
    return false
  }
}
