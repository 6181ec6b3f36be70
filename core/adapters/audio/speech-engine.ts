/** What is to be spoken. `ssml` is rooted in `<speak>` and wins over `text` where the engine understands it. */
export interface SpeechRequest {
  readonly text: string
  readonly ssml?: string
  /** As the document wrote them. */
  readonly voice?: string
  readonly language?: string
}

/** Work that goes through one process or server: its jobs wait for each other, and are sick together. */
export interface SpeechLane {
  /** The engine, or one voice of it: `espeak`, `piper:sw_CD-lanfrica-medium`. */
  readonly name: string
  /** Jobs at once. */
  readonly width: number
}

/** A part of what is spoken. */
export interface SpokenPiece {
  /** Mono, 16 bits, little-endian. */
  readonly pcm: Uint8Array
  /** From 8000 to 48 000 Hz. */
  readonly sampleRate: number
  readonly isLast: boolean
  /** The words after it, with which another engine could go on; missing where there is no telling. */
  readonly rest?: string
}

/** A request with its voice settled. `identity` is the same for what sounds the same. */
export interface SpeechJob {
  readonly identity: string
  readonly lane: SpeechLane
  /** Asked for but not known: the default speaks instead. */
  readonly unknownVoice?: string
  /**
   * The audio, piece by piece, each made when it is requested; a short first one is played while the others are made.
   * Throws a `SpeechFault`, also between two pieces. After an early return, or when `signal` aborts, the rest is not
   * made.
   */
  speak(signal: AbortSignal): AsyncGenerator<SpokenPiece, void, undefined>
  /**
   * The engine that speaks when this one cannot; only called then. `rest`: the text that is left, missing = all.
   * Undefined, or a rejection: there is none.
   */
  readonly next?: (rest?: string) => Promise<SpeechJob | undefined>
}

/** A way to turn words into audio: espeak-ng, Piper, a speech server, or several in one. */
export interface SpeechEngine {
  /** Settles voice and language. Rejects with a `SpeechFault` when there is nothing to speak with. */
  prepare(request: SpeechRequest): Promise<SpeechJob>
  /** Ends what still runs. */
  close(): void
}

/** The words were not spoken; the message is for people. */
export class SpeechFault extends Error {
  override readonly name = 'SpeechFault'
  /** What is wrong with these words is not wrong with others: the engine goes on. */
  readonly isOfText: boolean

  constructor(message: string, isOfText = false) {
    super(message)
    this.isOfText = isOfText
  }
}
