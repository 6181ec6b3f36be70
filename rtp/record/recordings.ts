import type { RecordRules, SessionId, SessionRules } from '../contract/command.ts'
import type { EngineEvent, RecordingEnd } from '../contract/event.ts'
import type { RecordingSink } from '../contract/recording-sink.ts'
import { MessageRecorder } from './message-recorder.ts'
import type { RecordingFormat } from './recording-format.ts'
import { SessionRecorder } from './session-recorder.ts'
import type { TrackCodecs } from './track-decoder.ts'

/** Recordings of the whole conversation that one leg may have at once. */
const maxSessionRecorders = 4

/** How both directions of a leg are decoded. */
interface LegTracks {
  /** Codecs of the leg's remote. */
  readonly received: TrackCodecs
  /** Codecs that are sent to it. */
  readonly sent: TrackCodecs
}

interface RecordingsHost {
  emit(event: EngineEvent): void
}

/** All that is recorded of one leg: at most one message of its remote, and conversations it has with another. */
export class Recordings {
  readonly #id: SessionId
  readonly #host: RecordingsHost
  readonly #makeTracks: () => LegTracks
  /** Made with the first recording of a conversation that the leg is part of. */
  #tracks: LegTracks | undefined
  #message: MessageRecorder | undefined
  readonly #sessions: SessionRecorder[] = []
  #late = 0
  /** Still written to disk. */
  #finishing = 0
  #finished: (() => void) | undefined

  constructor(id: SessionId, host: RecordingsHost, makeTracks: () => LegTracks) {
    this.#id = id
    this.#host = host
    this.#makeTracks = makeTracks
  }

  get areRunning(): boolean {
    return this.#message !== undefined || this.#sessions.length > 0
  }

  get late(): number {
    let late = this.#late + (this.#message?.late ?? 0)
    for (const recorder of this.#sessions) late += recorder.late
    return late
  }

  /** A message replaces the one before. */
  record(id: string, sink: RecordingSink, rules: RecordRules, format: RecordingFormat, now: number): void {
    this.#endMessage('stopped', now)
    this.#message = new MessageRecorder(id, sink, rules, format, now)
  }

  recordSession(id: string, open: () => RecordingSink, rules: SessionRules, now: number): void {
    if (this.#sessions.length >= maxSessionRecorders) {
      this.#emitRecorded(id, 0, 0, 'failed')
      return
    }
    const { received, sent } = this.#tracksNow()
    this.#sessions.push(new SessionRecorder(id, open(), rules, received, sent, now))
  }

  pause(id: string, now: number): void {
    this.#sessions.find(recorder => recorder.recordingId === id)?.pause(now)
  }

  resume(id: string): void {
    this.#sessions.find(recorder => recorder.recordingId === id)?.resume()
  }

  stop(id: string, now: number): void {
    if (this.#message?.recordingId === id) this.#endMessage('stopped', now)
    const at = this.#sessions.findIndex(recorder => recorder.recordingId === id)
    if (at !== -1) this.#endSession(at, 'stopped', now)
  }

  /** Audio of the leg's remote. */
  received(packet: Uint8Array, length: number, now: number): void {
    this.#message?.push(packet, length, now)
    for (let at = 0; at < this.#sessions.length; at++) this.#sessions[at]!.received(packet, length, now)
  }

  /** Audio of the leg that is bridged with it. */
  receivedByPeer(from: Recordings, packet: Uint8Array, length: number, now: number): void {
    if (this.#sessions.length === 0) return
    const { received } = from.#tracksNow()
    for (let at = 0; at < this.#sessions.length; at++)
      this.#sessions[at]!.receivedByPeer(from.#id, received, packet, length, now)
  }

  /** A packet of a prompt of ours, due at `at`. */
  promptFrame(packet: Uint8Array, length: number, at: number): void {
    for (let i = 0; i < this.#sessions.length; i++) this.#sessions[i]!.promptFrame(packet, length, at)
  }

  /** A packet of the stream that holds no audio: it is not lost. */
  note(packet: Uint8Array, now: number): void {
    this.#message?.note(packet, now)
    for (let at = 0; at < this.#sessions.length; at++) this.#sessions[at]!.note(packet, now)
  }

  notePeer(from: Recordings, packet: Uint8Array, now: number): void {
    for (let at = 0; at < this.#sessions.length; at++) this.#sessions[at]!.notePeer(from.#id, packet, now)
  }

  /** A digit that began at `timestamp` has just been reported. */
  digit(timestamp: number, now: number): void {
    this.#message?.digit(timestamp, now)
  }

  tick(now: number): void {
    const ended = this.#message?.tick(now)
    if (ended !== undefined) this.#endMessage(ended, now)
    for (let at = this.#sessions.length - 1; at >= 0; at--) {
      const over = this.#sessions[at]!.tick(now)
      if (over !== undefined) this.#endSession(at, over, now)
    }
  }

  /** Ends all; `done` when they are on disk. */
  close(now: number, done: () => void): void {
    this.#finished = done
    this.#finishing++
    try {
      this.#endMessage('closed', now)
      while (this.#sessions.length > 0) this.#endSession(this.#sessions.length - 1, 'closed', now)
    } finally {
      this.#finishing--
      this.#reportFinished()
    }
  }

  #tracksNow(): LegTracks {
    this.#tracks ??= this.#makeTracks()
    return this.#tracks
  }

  #endMessage(endedBy: RecordingEnd, now: number): void {
    const recorder = this.#message
    if (recorder === undefined) return
    this.#message = undefined
    this.#late += recorder.late
    this.#finishing++
    recorder.finish(endedBy, now, this.#writtenOf(recorder.recordingId, endedBy))
  }

  #endSession(at: number, endedBy: RecordingEnd, now: number): void {
    const [recorder] = this.#sessions.splice(at, 1)
    if (recorder === undefined) return
    this.#finishing++
    recorder.finish(now, this.#writtenOf(recorder.recordingId, endedBy))
    this.#late += recorder.late
  }

  #writtenOf(id: string, endedBy: RecordingEnd): (durationMs: number, sizeBytes: number, hasFailed: boolean) => void {
    return (durationMs, sizeBytes, hasFailed) => {
      this.#emitRecorded(id, durationMs, sizeBytes, hasFailed ? 'failed' : endedBy)
      this.#finishing--
      this.#reportFinished()
    }
  }

  #emitRecorded(recording: string, durationMs: number, sizeBytes: number, endedBy: RecordingEnd): void {
    this.#host.emit({ type: 'recorded', session: this.#id, recording, durationMs, sizeBytes, endedBy })
  }

  #reportFinished(): void {
    if (this.#finishing > 0 || this.#finished === undefined) return
    const done = this.#finished
    this.#finished = undefined
    done()
  }
}
