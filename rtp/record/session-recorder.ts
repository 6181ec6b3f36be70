import type { SessionRules } from '../contract/command.ts'
import type { RecordingEnd } from '../contract/event.ts'
import type { RecordingSink } from '../contract/recording-sink.ts'
import { SentTrack } from './sent-track.ts'
import type { TrackCodecs } from './track-decoder.ts'
import { TrackLine } from './track-line.ts'
import { TrackStream } from './track-stream.ts'

const samplesPerMs = 8
/** What is written lies so far back: what still belongs there has come. */
const lagMs = 800
/** After a stall the line is written before more is laid on it. */
const longestStallMs = 2500
/** The last packet may end after the recording's end by this. */
const overhangMs = 60
const chunkFrames = 960

/**
 * Records a conversation from the side of one of its legs: left the audio of its remote, right the audio that the
 * remote receives, which is the other leg and our prompts. Both have one time line, which continues during silence
 * and, with silence, during a pause.
 */
export class SessionRecorder {
  readonly recordingId: string
  readonly #sink: RecordingSink
  readonly #rules: SessionRules
  readonly #own: TrackCodecs
  /** What we send. */
  readonly #sent: TrackCodecs
  readonly #line: TrackLine
  readonly #begunAt: number
  readonly #chunk: Int16Array
  readonly #maxFrames: number
  #isPaused = false
  #ownStream: TrackStream | undefined
  #peer: TrackStream | undefined
  #peerId = ''
  #prompts: SentTrack | undefined
  #late = 0

  constructor(
    recordingId: string,
    sink: RecordingSink,
    rules: SessionRules,
    own: TrackCodecs,
    sent: TrackCodecs,
    now: number,
  ) {
    this.recordingId = recordingId
    this.#sink = sink
    this.#rules = rules
    this.#own = own
    this.#sent = sent
    this.#begunAt = now
    this.#line = new TrackLine(channelsOf(rules))
    this.#chunk = new Int16Array(chunkFrames * channelsOf(rules))
    this.#maxFrames = rules.maxLengthMs * samplesPerMs
  }

  /** Packets that came too late to be laid down. */
  get late(): number {
    return this.#late + (this.#ownStream?.late ?? 0) + (this.#peer?.late ?? 0)
  }

  /** Audio of the leg's remote. */
  received(packet: Uint8Array, length: number, now: number): void {
    if (this.#isPaused || this.#rules.track === 'outbound') return
    this.#ownStream ??= new TrackStream(this.#line, 'left', this.#own)
    this.#ownStream.push(packet, length, this.#placeOf(now), now)
  }

  /** Audio of the other leg, by its name. */
  receivedByPeer(id: string, codecs: TrackCodecs, packet: Uint8Array, length: number, now: number): void {
    if (this.#isPaused || this.#rules.track === 'inbound') return
    if (id !== this.#peerId) {
      this.#endPeer(now)
      this.#peerId = id
    }
    this.#peer ??= new TrackStream(this.#line, 'right', codecs)
    this.#peer.push(packet, length, this.#placeOf(now), now)
  }

  /** A packet of one of our prompts: it is played at about `at`. */
  promptFrame(packet: Uint8Array, length: number, at: number): void {
    if (this.#isPaused || this.#rules.track === 'inbound') return
    this.#prompts ??= new SentTrack(this.#line, 'right', this.#sent)
    this.#prompts.push(packet, length, this.#placeOf(at))
  }

  /** A packet without audio. */
  note(packet: Uint8Array, now: number): void {
    this.#ownStream?.note(packet, now)
  }

  notePeer(id: string, packet: Uint8Array, now: number): void {
    if (id === this.#peerId) this.#peer?.note(packet, now)
  }

  pause(now: number): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#endStreams(now)
  }

  resume(): void {
    this.#isPaused = false
  }

  /** Writes what is ready. Returns why the recording is over, if it is. */
  tick(now: number): RecordingEnd | undefined {
    if (this.#placeOf(now) - this.#line.from > longestStallMs * samplesPerMs) this.#write(this.#placeOf(now - lagMs))
    this.#ownStream?.tick(now)
    this.#peer?.tick(now)
    this.#write(this.#placeOf(now - lagMs))
    if (this.#sink.hasFailed) return 'failed'
    return this.#line.from >= this.#maxFrames ? 'max-length' : undefined
  }

  /** Ends it. `done` gets its length and the file's size. */
  finish(now: number, done: (durationMs: number, sizeBytes: number, hasFailed: boolean) => void): void {
    this.#endStreams(now)
    this.#prompts?.free()
    const here = this.#placeOf(now)
    this.#write(Math.max(here, Math.min(this.#line.end, here + overhangMs * samplesPerMs)))
    const frames = this.#line.from
    this.#sink.close(frames * this.#line.channels, (sizeBytes, hasFailed) => {
      done(hasFailed ? 0 : Math.round(frames / samplesPerMs), sizeBytes, hasFailed)
    })
  }

  #placeOf(at: number): number {
    return Math.max(0, Math.round((at - this.#begunAt) * samplesPerMs))
  }

  #endStreams(now: number): void {
    this.#ownStream?.finish(now)
    this.#late += this.#ownStream?.late ?? 0
    this.#ownStream = undefined
    this.#endPeer(now)
  }

  #endPeer(now: number): void {
    this.#peer?.finish(now)
    this.#late += this.#peer?.late ?? 0
    this.#peer = undefined
    this.#peerId = ''
  }

  #write(until: number): void {
    const end = Math.min(until, this.#maxFrames)
    const { channels } = this.#line
    for (;;) {
      const frames = this.#line.takeInto(this.#chunk, chunkFrames, end)
      if (frames === 0) return
      this.#sink.write(this.#chunk, 0, frames * channels)
    }
  }
}

export const channelsOf = (rules: SessionRules): 1 | 2 => (rules.channels === 'dual' ? 2 : 1)
