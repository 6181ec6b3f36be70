import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child-output.ts'
import { SpeechFault } from './speech-engine.ts'

interface PiperProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly modelFile: string
  /** Where it writes what it speaks, each text into a file that is gone once it was read. */
  readonly folder: string
  readonly maxBytes: number
}

interface Asked {
  readonly file: string
  done(fault?: SpeechFault): void
}

/** Lines of its standard output are paths. */
const maxLine = 8192
const maxComplaint = 400
/** Piper prints the path while the end of the file may still be on its way to the disk. */
const closingMs = 500
const closingStepMs = 2
const headBytes = 44

/**
 * Piper's executable with its model loaded, for as long as it lives: each text is a line of JSON, and the path of the WAV
 * comes back as a line when it is written. One text at a time. When it dies, hangs or talks nonsense it is over.
 */
export class PiperProcess {
  readonly #options: PiperProcessOptions
  readonly #child: ChildProcessWithoutNullStreams
  #asked: Asked | undefined
  #line = ''
  #complaint = ''
  #texts = 0
  #isAlive = true
  #hasProducedSpeech = false
  /** The text before, whatever became of it. */
  #before: Promise<unknown> = Promise.resolve()

  constructor(options: PiperProcessOptions) {
    this.#options = options
    const args = [...options.args, '--model', options.modelFile, '--json-input', '--output_dir', options.folder]
    const child = startChild(options.command, args)
    this.#child = child
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#onOutput(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      // Its last line says why it died; the lines before say how fast it was.
      this.#complaint = (this.#complaint + text).slice(-maxComplaint)
    })
    // A child that dies leaves its pipe broken; its exit says so better.
    child.stdin.on('error', () => {})
    child.on('error', error => this.#over(error.message))
    child.on('exit', (code, signal) => this.#over(`${signal ?? `exit ${code}`} ${this.#complaint}`.trim()))
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Its model is loaded: the next text takes no longer than itself. */
  get isReady(): boolean {
    return this.#hasProducedSpeech
  }

  /** A WAV, after what was asked before: a call may ask while the model is being loaded. Rejects with a `SpeechFault`, and is over then. */
  speak(line: string, timeoutMs: number): Promise<Uint8Array> {
    const spoken = this.#before.then(() => this.#speak(line, timeoutMs))
    this.#before = spoken.catch(() => {})
    return spoken
  }

  async #speak(line: string, timeoutMs: number): Promise<Uint8Array> {
    const file = join(this.#options.folder, `${this.#child.pid}-${++this.#texts}.wav`)
    try {
      await this.#ask(line, file, timeoutMs)
      return await this.#read(file)
    } finally {
      await rm(file, { force: true })
    }
  }

  kill(why = 'it was stopped'): void {
    this.#over(why)
  }

  #ask(text: string, file: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isAlive || this.#asked !== undefined) {
        reject(new SpeechFault('it is not there'))
        return
      }
      const timer = setTimeout(() => this.#over(`it took more than ${timeoutMs / 1000} s`), timeoutMs)
      this.#asked = {
        file,
        done: fault => {
          clearTimeout(timer)
          this.#asked = undefined
          if (fault === undefined) resolve()
          else reject(fault)
        },
      }
      this.#child.stdin.write(`${JSON.stringify({ text, output_file: file })}\n`)
    })
  }

  #onOutput(text: string): void {
    this.#line += text
    for (let end = this.#line.indexOf('\n'); end >= 0; end = this.#line.indexOf('\n')) {
      const line = this.#line.slice(0, end).trim()
      this.#line = this.#line.slice(end + 1)
      if (line !== this.#asked?.file) continue
      this.#hasProducedSpeech = true
      this.#asked.done()
    }
    if (this.#line.length > maxLine) this.#over('it does not talk as Piper does')
  }

  /** Whole, as its head counts it. */
  async #read(file: string): Promise<Uint8Array> {
    for (let waited = 0; ; waited += closingStepMs) {
      const bytes = await readFile(file).catch(() => Buffer.alloc(0))
      if (bytes.length > this.#options.maxBytes) {
        throw this.#over(`it gave more than ${this.#options.maxBytes} bytes`)
      }
      const isWhole = bytes.length >= headBytes && bytes.length >= headBytes + bytes.readUInt32LE(40)
      if (isWhole) return bytes
      if (waited >= closingMs) throw this.#over('the WAV that it wrote is not whole')
      await sleep(closingStepMs)
    }
  }

  #over(why: string): SpeechFault {
    const fault = new SpeechFault(why)
    this.#isAlive = false
    this.#child.kill('SIGKILL')
    this.#asked?.done(fault)
    return fault
  }
}
