import type { LocalCause } from '../base/end-reason.ts'
import { PhoneError } from '../base/errors.ts'

const processing = { echoCancellation: true, noiseSuppression: true, autoGainControl: true } as const

/** The microphone, open while a call needs it. Each call has a track of its own, so that each is muted by itself. */
export class Microphone {
  readonly #changed: (track: MediaStreamTrack) => void
  #deviceId: string | undefined
  #source: MediaStreamTrack | undefined
  #users = 0
  /** Work on the source, one thing after another. */
  #last: Promise<unknown> = Promise.resolve()

  /** `changed` is called when another source takes over in the middle of calls. */
  constructor(changed: (source: MediaStreamTrack) => void) {
    this.#changed = changed
  }

  /** A track for one call, to be given back. Rejects with a PhoneError `microphone`. */
  async take(): Promise<MediaStreamTrack> {
    this.#users++
    try {
      return await this.#next(async () => {
        if (this.#source?.readyState !== 'live') this.#source = await this.#capture()
        return this.#source.clone()
      })
    } catch (fault) {
      this.#users--
      throw fault
    }
  }

  giveBack(track: MediaStreamTrack): void {
    track.stop()
    this.#users--
    if (this.#users === 0) this.#become(undefined)
  }

  /** `id` '' or `default`: the system's choice. Live calls use the new one at once. */
  use(id: string): Promise<void> {
    return this.#next(async () => {
      const before = this.#deviceId
      this.#deviceId = id === '' || id === 'default' ? undefined : id
      try {
        await this.#replace()
      } catch (fault) {
        this.#deviceId = before
        throw fault
      }
    })
  }

  async #replace(): Promise<void> {
    if (this.#users === 0) return
    const source = await this.#capture()
    this.#become(source)
    if (this.#users > 0) this.#changed(source)
    // The last call ended while it was being opened.
    else this.#become(undefined)
  }

  #become(source: MediaStreamTrack | undefined): void {
    this.#source?.stop()
    this.#source = source
  }

  #next<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
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
      this.#next(async () => {
        if (track !== this.#source) return
        this.#deviceId = undefined
        await this.#replace()
      }).catch(() => {})
    }
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
