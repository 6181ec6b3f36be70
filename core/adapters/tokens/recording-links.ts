import type { KeyObject } from 'node:crypto'
import { isSignatureOf, signatureOf } from './signature.ts'

/** What is in a link beside the recording: both parts as text, exactly as they were signed. `expires`: Unix seconds. */
interface LinkProof {
  readonly expires: string
  readonly signature: string
}

/** Links to recordings that need no key: who has one may download until it expires. */
export class RecordingLinks {
  readonly #key: KeyObject

  constructor(key: KeyObject) {
    this.#key = key
  }

  sign(recordingUuid: string, expiresUnix: number): LinkProof {
    const expires = (expiresUnix / 1000).toFixed(3)
    return { expires, signature: signatureOf(`${recordingUuid}\n${expires}`, this.#key) }
  }

  /** False when any part was altered, and when its time has come. */
  isValid(recordingUuid: string, { expires, signature }: LinkProof, unixMs: number): boolean {
    return isSignatureOf(signature, `${recordingUuid}\n${expires}`, this.#key) && Number(expires) * 1000 > unixMs
  }
}
