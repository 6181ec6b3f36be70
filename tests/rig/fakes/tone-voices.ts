import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sine, toneShare, wavOf } from '../probes/tone.ts'

/** 20 ms frames of G.711; this many make a window in which frequencies 60 Hz apart are distinguished. */
const windowSamples = 400
const firstHz = 1060
const stepHz = 60
const lastHz = 3400

/** Gives everything that can be played a frequency of its own, and reads a line's audio as what was played, in order. */
export class ToneVoices {
  readonly #lines = new Map<number, string>()
  /** Of texts, by their frequency: how long each is once, in seconds. */
  readonly #seconds = new Map<number, number>()
  readonly #server: Server
  #next = firstHz

  private constructor() {
    // The tones of the switch.
    this.#lines.set(1000, 'tone beep')
    this.#lines.set(425, 'tone ringback-ke')
    this.#server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        const audio = this.#speech(JSON.parse(body).input)
        response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavOf(audio))
      })
    })
  }

  static async open(): Promise<ToneVoices> {
    const opened = new ToneVoices()
    await new Promise<void>(resolve => opened.#server.listen(0, '127.0.0.1', resolve))
    return opened
  }

  /** Of an OpenAI-like speech server whose voice is these tones. */
  get speechUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** A tone that is read as that line: `talk with +254711000001`. */
  voice(line: string, seconds: number): Int16Array {
    return sine(this.#frequency(line), seconds)
  }

  #speech(text: string): Int16Array {
    const seconds = Math.max(0.8, 0.06 * text.length)
    const hz = this.#frequency(`say ${JSON.stringify(text)}`)
    this.#seconds.set(hz, seconds)
    return sine(hz, seconds)
  }

  #frequency(line: string): number {
    const known = [...this.#lines].find(([, each]) => each === line)
    if (known !== undefined) return known[0]
    const hz = this.#next
    if (hz > lastHz) throw new Error('there are more sounds than frequencies')
    this.#next += stepHz
    this.#lines.set(hz, line)
    return hz
  }

  /** The sounds in these samples, one line each. */
  read(samples: Int16Array): readonly string[] {
    const runs: { hz: number; windows: number }[] = []
    for (let at = 0; at + windowSamples <= samples.length; at += windowSamples) {
      const window = samples.subarray(at, at + windowSamples)
      const hz = [...this.#lines.keys()].find(each => isLoud(window) && toneShare(window, each) > 0.8)
      if (hz === undefined) continue
      const last = runs.at(-1)
      if (last?.hz === hz) last.windows++
      else runs.push({ hz, windows: 1 })
    }
    return runs.map(({ hz, windows }) => {
      const once = this.#seconds.get(hz)
      const times = once === undefined ? 1 : Math.round((windows * windowSamples) / 8000 / once)
      return `${this.#lines.get(hz)}${times > 1 ? ` × ${times}` : ''}`
    })
  }
}

const isLoud = (window: Int16Array): boolean => window.some(sample => Math.abs(sample) > 500)
