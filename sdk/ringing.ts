import type { Call } from './call.ts'
import type { Tones } from './media/tones.ts'

/** Sounds besides the calls themselves: the bell, the ringback, the busy tone. */
export class Ringing {
  readonly #tones: Tones | undefined

  constructor(tones: Tones | undefined) {
    this.#tones = tones
  }

  update(calls: Iterable<Call>, changed: Call): void {
    const { endReason } = changed
    const all = [...calls]
    if (all.some(call => call.direction === 'inbound' && call.state === 'ringing')) this.#tones?.play('bell')
    else if (all.some(call => call.direction === 'outbound' && call.state === 'ringing' && !call.hasEarlyAudio))
      this.#tones?.play('ringback')
    else if (changed.direction === 'outbound' && (endReason?.status === 486 || endReason?.status === 600))
      this.#tones?.play('busy')
    else this.#tones?.stop()
  }
}
