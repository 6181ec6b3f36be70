import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { programPath } from '../beds/debian.ts'
import { sine, wavOf } from '../probes/tone.ts'

export interface ChromiumOptions {
  /** The microphone plays this tone for ever. Default: Chromium's own beeps. */
  readonly microphoneHz?: number
  /** Another program than Debian's. */
  readonly program?: string
  /** More of its flags. */
  readonly args?: readonly string[]
}

/** Debian's Chromium with devices that are none: no question is asked before they are used. */
export async function launchChromium({ microphoneHz, program, args = [] }: ChromiumOptions = {}): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-microphone-'))
  const wav = join(folder, 'tone.wav')
  if (microphoneHz !== undefined) writeFileSync(wav, wavOf(sine(microphoneHz, 2), 8000))
  const browser = await chromium.launch({
    executablePath: program ?? programPath('chromium') ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      ...(microphoneHz === undefined ? [] : [`--use-file-for-fake-audio-capture=${wav}`]),
      '--autoplay-policy=no-user-gesture-required',
      '--disable-background-networking',
      ...args,
    ],
  })
  browser.on('disconnected', () => rmSync(folder, { recursive: true, force: true }))
  return browser
}
