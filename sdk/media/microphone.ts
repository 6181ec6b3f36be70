import type { LocalCause } from '../base/end-reason.ts'
import { PhoneError } from '../base/errors.ts'

const processing = { echoCancellation: true, noiseSuppression: true, autoGainControl: true } as const

/** The microphone, open while a call needs it. Each call has a track of its own, so that each is muted by itself. */
export class Microphone {
  readonly #changed: (track: MediaStreamTrack) => void
  #deviceId: string | undefined
  #source: MediaStreamTrack | undefined
  #opening: Promise<MediaStreamTrack> | undefined
  #users = 0

  /** `changed` is called when another source takes over in the middle of calls. */
  constructor(changed: (source: MediaStreamTrack) => void) {
    this.#changed = changed
  }

  /** A track for one call, to be given back. Rejects with a PhoneError `microphone`. */
  async take(): Promise<MediaStreamTrack> {
    this.#users++
    try {
      return (await this.#open()).clone()
    } catch (fault) {
      this.#users--
      throw fault
    }
  }

  giveBack(track: MediaStreamTrack): void {
    track.stop()
    this.#users--
    if (this.#users > 0) return
    this.#source?.stop()
    this.#source = undefined
  }

  /** `id` '' or `default`: the system's choice. Live calls use the new one at once. */
  async use(id: string): Promise<void> {
    const before = this.#deviceId
    this.#deviceId = id === '' || id === 'default' ? undefined : id
    if (this.#users === 0) return
    try {
      await this.#replace()
    } catch (fault) {
      this.#deviceId = before
      throw fault
    }
  }

  async #replace(): Promise<void> {
    const old = this.#source
    this.#source = undefined
    try {
      this.#changed(await this.#open())
    } catch (fault) {
      this.#source = old
      throw fault
    }
    old?.stop()
  }

  #open(): Promise<MediaStreamTrack> {
    if (this.#source?.readyState === 'live') return Promise.resolve(this.#source)
    this.#opening ??= this.#capture().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #capture(): Promise<MediaStreamTrack> {
    const audio = { ...processing, ...(this.#deviceId === undefined ? {} : { deviceId: { exact: this.#deviceId } }) }
    let stream: MediaStream
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio })
    } catch (fault) {
      throw new PhoneError('microphone', sentences[microphoneCause(fault)], { cause: fault })
    }
    const [track] = stream.getAudioTracks()
    if (track === undefined) throw new PhoneError('microphone', 'The microphone gave no audio.')
    // Unplugged in mid-call: go on with the system's default.
    track.onended = () => {
      if (track !== this.#source || this.#users === 0) return
      this.#deviceId = undefined
      this.#replace().catch(() => {})
    }
    this.#source = track
    return track
  }
}

const sentences = {
  'Microphone refused': 'The browser was not allowed to use the microphone.',
  'Microphone missing': 'No such microphone was found.',
  'Microphone failed': 'The microphone could not be opened.',
} as const satisfies Partial<Record<LocalCause, string>>

/** Why `take` rejected, as a call's end reason. */
export function microphoneCause(fault: unknown): keyof typeof sentences {
  const cause = fault instanceof PhoneError ? fault.cause : fault
  switch (cause instanceof Error || cause instanceof DOMException ? cause.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'Microphone refused'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'Microphone missing'
    default:
      return 'Microphone failed'
  }
}
