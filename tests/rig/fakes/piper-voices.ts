import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const program = new URL('./fake-piper.ts', import.meta.url).pathname

/** How the stand-in of Piper misbehaves. */
export type Mischief = 'hang' | 'die' | 'babble' | 'torn' | 'slow' | 'crawl'

/** A folder of models, and an executable that is called as Piper is. */
export class PiperVoices {
  readonly command: string
  readonly folder: string

  constructor(folder: string, voices: readonly string[], { loadMs = 50, rate = 22_050, asPython = false } = {}) {
    mkdirSync(folder, { recursive: true })
    this.folder = folder
    for (const voice of voices) {
      writeFileSync(join(folder, `${voice}.onnx`), 'a model')
      writeFileSync(join(folder, `${voice}.onnx.json`), JSON.stringify({ audio: { sample_rate: rate }, loadMs }))
    }
    this.command = join(folder, 'piper')
    const args = asPython ? '--as-python ' : ''
    writeFileSync(this.command, `#!/bin/sh\nexec '${process.execPath}' '${program}' ${args}"$@"\n`)
    chmodSync(this.command, 0o755)
  }

  misbehave(how: Mischief | undefined): void {
    const file = join(this.folder, 'mischief')
    if (how === undefined) rmSync(file, { force: true })
    else writeFileSync(file, how)
  }

  /** Command lines of its starts so far. */
  get starts(): readonly string[] {
    const file = join(this.folder, 'starts')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
}
