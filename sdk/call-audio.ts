import type { CallSeat } from './call-seat.ts'
import { type MediaEvents, PeerMedia } from './media/peer-connection.ts'

/** A call's microphone track, connection and loudspeaker: opened once, closed once, whichever comes first. */
export class CallAudio {
  readonly #seat: CallSeat
  readonly #events: MediaEvents
  #media: PeerMedia | undefined
  #track: MediaStreamTrack | undefined
  #speaker: HTMLAudioElement | undefined
  #isSilent = false
  #isClosed = false

  constructor(seat: CallSeat, events: MediaEvents) {
    this.#seat = seat
    this.#events = events
  }

  get media(): PeerMedia | undefined {
    return this.#media
  }

  get isConnected(): boolean {
    return this.#media?.isConnected === true
  }

  /** Undefined when the call was closed while the person was asked for the microphone. Rejects as `Microphone.take` does. */
  async open(): Promise<PeerMedia | undefined> {
    const track = await this.#seat.takeMicrophone()
    if (this.#isClosed) {
      this.#seat.giveBackMicrophone(track)
      return undefined
    }
    this.#track = track
    this.silence(this.#isSilent)
    this.#media = new PeerMedia(track, this.#seat.media, this.#events)
    this.#speaker = this.#seat.openSpeaker(this.#media.remote)
    return this.#media
  }

  /** Sends silence, or the microphone again; also through later microphones. */
  silence(isSilent: boolean): void {
    this.#isSilent = isSilent
    if (this.#track !== undefined) this.#track.enabled = !isSilent
  }

  async replaceMicrophone(source: MediaStreamTrack): Promise<void> {
    if (this.#media === undefined || this.#isClosed) return
    const track = source.clone()
    this.#track = track
    this.silence(this.#isSilent)
    await this.#media.replaceTrack(track)
  }

  close(): void {
    this.#isClosed = true
    this.#media?.close()
    if (this.#speaker !== undefined) this.#seat.closeSpeaker(this.#speaker)
    if (this.#track !== undefined) this.#seat.giveBackMicrophone(this.#track)
    this.#track = undefined
  }
}
