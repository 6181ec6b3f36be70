import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import type { Prompt, PromptFault } from '../../rtp/contract/prompts.ts'
import { wavHeader } from '../../rtp/index.ts'
import { LibOpus, PromptFiles } from '../../rtp/io/index.ts'
import { until } from '../rig/probes/wait.ts'

/** Prompts of what a test has computed, by way of files of their own as the switch would read them. */
export class WavPrompts {
  readonly lib = new LibOpus()
  readonly #files = new PromptFiles({ opus: this.lib })
  readonly #folder = mkdtempSync(join(tmpdir(), 'sauti-prompts-'))

  /** Returns the path of a file that holds just these bytes. */
  write(name: string, bytes: Uint8Array): string {
    const path = join(this.#folder, name)
    writeFileSync(path, bytes)
    return path
  }

  /** The same, of a file of one channel. */
  writePcm(name: string, pcm: Int16Array, sampleRate: number): string {
    const header = wavHeader({ encoding: 'pcm16', sampleRate, channels: 1 }, pcm.byteLength)
    return this.write(name, Buffer.concat([header, new Uint8Array(pcm.buffer)]))
  }

  /** Whole: virtual time does not wait for what follows the beginning. */
  async load(path: string, codec: AudioCodecName, loop = 1): Promise<Prompt> {
    const prompt = await new Promise<Prompt | PromptFault>(done => this.#files.load(path, codec, loop, done))
    if (typeof prompt === 'string') throw new Error(prompt)
    await until('the prompt is whole', () => this.#files.underWay === 0)
    return prompt
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}
