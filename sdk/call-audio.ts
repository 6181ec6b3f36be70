import type { CallServices } from './call-services.ts'
import { type MediaEvents, PeerMedia } from './media/peer-connection.ts'

/** A call's microphone track, connection and loudspeaker: opened once, closed once, whichever comes first. */
export class CallAudio {
  readonly #services: CallServices
  readonly #events: MediaEvents
  #media: PeerMedia | undefined
  #track: MediaStreamTrack | undefined
  #speaker: HTMLAudioElement | undefined
  #isSilent = false
  #isClosed = false

  constructor(services: CallServices, events: MediaEvents) {
    this.#services = services
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
    const track = await this.#services.takeMicrophone()
    if (this.#isClosed) {
      this.#services.giveBackMicrophone(track)
      return undefined
    }
    this.#track = track
    this.silence(this.#isSilent)
    this.#media = new PeerMedia(track, this.#services.media, this.#events)
    this.#speaker = this.#services.openSpeaker(this.#media.remote)
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
    if (this.#speaker !== undefined) this.#services.closeSpeaker(this.#speaker)
    if (this.#track !== undefined) this.#services.giveBackMicrophone(this.#track)
    this.#track = undefined
  }
}
