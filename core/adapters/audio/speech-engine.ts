/** What is to be spoken. `ssml` is rooted in `<speak>` and wins over `text` where the engine understands it. */
export interface SpeechRequest {
  readonly text: string
  readonly ssml?: string
  /** As the document wrote them. */
  readonly voice?: string
  readonly language?: string
}

/** A request with its voice settled. `identity` is the same for what sounds the same. */
export interface SpeechJob {
  readonly identity: string
  /** Asked for but not known: the default speaks instead. */
  readonly unknownVoice?: string
  /** A WAV file. Rejects with a `SpeechFault`. */
  speak(): Promise<Uint8Array>
}

/** A way to turn words into audio: espeak-ng, and later Piper or an HTTP service. */
export interface SpeechEngine {
  /** Settles voice and language. Rejects with a `SpeechFault` when there is nothing to speak with. */
  prepare(request: SpeechRequest): Promise<SpeechJob>
  /** Ends what still runs. */
  close(): void
}

/** The words were not spoken; the message is for people. */
export class SpeechFault extends Error {
  override readonly name = 'SpeechFault'
}
