import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { type DtlsRecord, sequenceBytes } from './record.ts'
import { concat, uint } from './wire.ts'

const algorithm = 'aes-128-gcm'
const explicitLength = 8
const tagLength = 16

/** One direction of AES-128-GCM (RFC 5288 §3). */
export class RecordCipher {
  readonly #key: KeyObject
  readonly #salt: Uint8Array

  constructor(key: Uint8Array, salt: Uint8Array) {
    this.#key = createSecretKey(key)
    this.#salt = salt
  }

  seal(type: number, epoch: number, sequence: number, plain: Uint8Array): Uint8Array {
    const explicit = sequenceBytes(epoch, sequence)
    const cipher = createCipheriv(algorithm, this.#key, concat(this.#salt, explicit), { authTagLength: tagLength })
    cipher.setAAD(concat(explicit, uint(type, 1), uint(0xfefd, 2), uint(plain.length, 2)))
    const text = cipher.update(plain)
    cipher.final()
    return concat(explicit, text, cipher.getAuthTag())
  }

  /** Undefined for what is not authentic. */
  open({ type, version, epoch, sequence, fragment }: DtlsRecord): Uint8Array | undefined {
    const length = fragment.length - explicitLength - tagLength
    if (length < 0) return undefined
    const nonce = concat(this.#salt, fragment.subarray(0, explicitLength))
    const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagLength })
    decipher.setAAD(concat(sequenceBytes(epoch, sequence), uint(type, 1), uint(version, 2), uint(length, 2)))
    decipher.setAuthTag(fragment.subarray(explicitLength + length))
    const plain = decipher.update(fragment.subarray(explicitLength, explicitLength + length))
    try {
      decipher.final()
    } catch {
      return undefined
    }
    return new Uint8Array(plain)
  }
}
