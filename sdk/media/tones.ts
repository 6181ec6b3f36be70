/** One beat: frequencies in Hz (none = silence) for so many ms. */
type Beat = readonly [frequencies: readonly number[], ms: number]

/** Kenya's tones are 425 Hz (ITU-T E.180 supplement 2); the bell is our own. */
const cadences = {
  ringback: [
    [[425], 670],
    [[], 3000],
  ],
  busy: [
    [[425], 200],
    [[], 300],
    [[425], 200],
    [[], 600],
  ],
  bell: [
    [[660, 880], 180],
    [[], 60],
    [[660, 880], 180],
    [[], 60],
    [[660, 880], 260],
    [[], 2000],
  ],
} as const satisfies Record<string, readonly Beat[]>
export type ToneName = keyof typeof cadences

const repeats: Readonly<Record<ToneName, boolean>> = { ringback: true, busy: false, bell: true }

const rows = [697, 770, 852, 941] as const
const columns = [1209, 1336, 1477, 1633] as const
const keys = '123A456B789C*0#D'

const loudness = 0.12
const fadeSeconds = 0.008
const digitMs = 120
const aheadSeconds = 8

interface Playing {
  readonly name: ToneName
  readonly gain: GainNode
  timer: ReturnType<typeof setTimeout> | undefined
}

type Routable = AudioContext & { setSinkId?: (id: string) => Promise<void> }

/** Sounds beside the calls: bell, ringback, busy and keys, made by Web Audio. */
export class Tones {
  #context: Routable | undefined
  #output: GainNode | undefined
  #playing: Playing | undefined
  #volume = 1
  #deviceId = ''
  #isClosed = false

  /** Goes on until `stop` or another tone; the same tone again changes nothing. */
  play(name: ToneName): void {
    if (this.#playing?.name === name) return
    this.stop()
    const opened = this.#open()
    if (opened === undefined) return
    const gain = opened.context.createGain()
    gain.connect(opened.output)
    const playing: Playing = { name, gain, timer: undefined }
    this.#playing = playing
    this.#schedule(opened.context, playing, opened.context.currentTime + 0.02)
  }

  stop(): void {
    const playing = this.#playing
    if (playing === undefined) return
    this.#playing = undefined
    clearTimeout(playing.timer)
    playing.gain.disconnect()
  }

  /** The key's own tone, as feedback; the remote gets RFC 4733 events. */
  key(tone: string): void {
    const at = keys.indexOf(tone)
    const opened = at === -1 ? undefined : this.#open()
    if (opened === undefined) return
    const { context, output } = opened
    beep(context, output, [rows[at >> 2] ?? 0, columns[at & 3] ?? 0], context.currentTime, digitMs / 1000)
  }

  setVolume(volume: number): void {
    this.#volume = volume
    if (this.#output !== undefined) this.#output.gain.value = volume
  }

  use(deviceId: string): void {
    this.#deviceId = deviceId
    this.#context?.setSinkId?.(deviceId).catch(() => {})
  }

  close(): void {
    this.stop()
    this.#isClosed = true
    this.#context?.close().catch(() => {})
    this.#context = undefined
  }

  #open(): { readonly context: AudioContext; readonly output: GainNode } | undefined {
    if (typeof AudioContext === 'undefined' || this.#isClosed) return undefined
    if (this.#context === undefined || this.#output === undefined) {
      const context: Routable = new AudioContext()
      this.#context = context
      this.#output = context.createGain()
      this.#output.gain.value = this.#volume
      this.#output.connect(context.destination)
      if (this.#deviceId !== '') context.setSinkId?.(this.#deviceId).catch(() => {})
    }
    // Suspended until the person touches the page; then the tone that plays is played.
    if (this.#context.state === 'suspended') this.#context.resume().catch(() => {})
    return { context: this.#context, output: this.#output }
  }

  #schedule(context: AudioContext, playing: Playing, from: number): void {
    let at = from
    do {
      for (const [frequencies, ms] of cadences[playing.name]) {
        beep(context, playing.gain, frequencies, at, ms / 1000)
        at += ms / 1000
      }
    } while (repeats[playing.name] && at < from + aheadSeconds)
    if (!repeats[playing.name]) return
    playing.timer = setTimeout(
      () => this.#schedule(context, playing, Math.max(at, context.currentTime)),
      Math.max(0, (at - context.currentTime - 1) * 1000),
    )
  }
}

function beep(
  context: AudioContext,
  into: AudioNode,
  frequencies: readonly number[],
  at: number,
  seconds: number,
): void {
  for (const frequency of frequencies) {
    const oscillator = context.createOscillator()
    const gain = context.createGain()
    oscillator.frequency.value = frequency
    // Without the slopes every beat would click.
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(loudness, at + fadeSeconds)
    gain.gain.setValueAtTime(loudness, at + seconds - fadeSeconds)
    gain.gain.linearRampToValueAtTime(0, at + seconds)
    oscillator.connect(gain).connect(into)
    oscillator.start(at)
    oscillator.stop(at + seconds)
    oscillator.onended = () => gain.disconnect()
  }
}
