import { PhoneError } from '../errors.ts'

/** An element that can be sent to another output; Safari and older Firefox lack it. */
type Routable = HTMLAudioElement & { setSinkId?: (id: string) => Promise<void> }

/** Where calls are heard: one audio element a call, all at one volume on one device. */
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
    element.srcObject = stream
    this.#elements.add(element)
    if (this.#deviceId !== '') element.setSinkId?.(this.#deviceId).catch(() => {})
    // Refused only without a gesture of the person, who has just dialled or answered.
    element.play()?.catch(() => {})
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
