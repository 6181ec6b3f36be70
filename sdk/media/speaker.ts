import { PhoneError } from '../base/errors.ts'

/** An element that can be sent to another output; Safari and older Firefox lack it. */
type Routable = HTMLAudioElement & { setSinkId?: (id: string) => Promise<void> }

/** Where calls are played: one audio element a call, all at one volume on one device. */
export class Speaker {
  readonly #elements = new Set<Routable>()
  #deviceId = ''
  #volume = 1

  get volume(): number {
    return this.#volume
  }

  get deviceId(): string {
    return this.#deviceId
  }

  open(stream: MediaStream): HTMLAudioElement {
    const element: Routable = new Audio()
    element.autoplay = true
    element.volume = this.#volume
    this.#elements.add(element)
    const begin = () => {
      if (!this.#elements.has(element)) return
      element.srcObject = stream
      // Refused only without a gesture of the person, who has just dialled or answered.
      element.play()?.catch(() => {})
    }
    // First the device, then the stream: Chromium aborts the choice of an element that is about to play. A device that
    // is gone leaves the system's.
    if (this.#deviceId === '' || element.setSinkId === undefined) begin()
    else element.setSinkId(this.#deviceId).then(begin, begin)
    return element
  }

  close(element: HTMLAudioElement): void {
    this.#elements.delete(element)
    element.pause()
    element.srcObject = null
  }

  setVolume(volume: number): void {
    if (!(volume >= 0 && volume <= 1)) throw new PhoneError('option.invalid', `A volume is from 0 to 1, not ${volume}.`)
    this.#volume = volume
    for (const element of this.#elements) element.volume = volume
  }

  async use(id: string): Promise<void> {
    const wanted = id === 'default' ? '' : id
    if (wanted !== '' && !('setSinkId' in HTMLMediaElement.prototype))
      throw new PhoneError('device', 'This browser cannot choose the output device.')
    const tried = this.#elements.size > 0 ? [...this.#elements] : [new Audio() as Routable]
    try {
      await Promise.all(tried.map(element => element.setSinkId?.(wanted)))
    } catch (fault) {
      throw new PhoneError('device', 'The output device could not be used.', { cause: fault })
    }
    this.#deviceId = wanted
  }
}
