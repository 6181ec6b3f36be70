import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resample } from '../../../rtp/index.ts'
import { requirePeers } from '../beds/debian.ts'
import { toneShare, wavOf } from '../probes/tone.ts'
import { until } from '../probes/wait.ts'

const wavHeadLength = 44
const modulePaths = ['/usr/lib/baresip/modules', '/usr/lib/x86_64-linux-gnu/baresip/modules']

/** As its accounts name them: with the rate of the samples, not of the RTP clock. */
const codecNames = {
  PCMU: 'PCMU/8000/1',
  PCMA: 'PCMA/8000/1',
  G722: 'G722/16000/1',
  opus: 'opus/48000/2',
} as const

/** A baresip user agent: sends `says` into its calls and keeps what it receives as samples. */
export class Baresip {
  output = ''
  readonly #folder: string
  readonly #child: ChildProcess

  constructor(options: {
    sipPort: number
    rtpPort: number
    transport?: 'udp' | 'tcp'
    /** Its whole line of accounts, instead of one that registers nowhere. */
    account?: string
    /** More lines of its config. */
    config?: readonly string[]
    /** More than what calls in the clear need. */
    modules?: readonly string[]
    says: Int16Array
    /** Calls this URI at once. */
    dial?: string
    /** Answers by itself. */
    answers?: boolean
    codec?: keyof typeof codecNames
    /** Its user part: calls to another are not its own. */
    user?: string
    /** Of its SIP; ::1: its media is of IPv6, too. Default 127.0.0.1. */
    address?: '127.0.0.1' | '::1'
  }) {
    requirePeers('baresip')
    this.#folder = mkdtempSync(join(tmpdir(), 'sauti-baresip-'))
    writeFileSync(join(this.#folder, 'says.wav'), wavOf(options.says))
    const transport = options.transport ?? 'udp'
    const host = options.address === '::1' ? '[::1]' : '127.0.0.1'
    writeFileSync(
      join(this.#folder, 'config'),
      [
        'poll_method epoll',
        ...(options.config ?? []),
        `sip_listen ${host}:${options.sipPort}`,
        `audio_source aufile,${join(this.#folder, 'says.wav')}`,
        'audio_player aufile,none',
        'ausrc_srate 8000',
        'auplay_srate 8000',
        'ausrc_channels 1',
        'auplay_channels 1',
        ...modulePaths.map(path => `module_path ${path}`).slice(0, 1),
        ...['stdio', 'g711', 'g722', 'opus', 'aufile', 'sndfile', ...(options.modules ?? [])].map(
          name => `module ${name}.so`,
        ),
        'module_tmp uuid.so',
        'module_tmp account.so',
        'module_app menu.so',
        `snd_path ${this.#folder}`,
        `rtp_ports ${options.rtpPort}-${options.rtpPort + 9}`,
      ].join('\n'),
    )
    writeFileSync(
      join(this.#folder, 'accounts'),
      options.account ??
        `<sip:${options.user ?? 'baresip'}@${host}:${options.sipPort};transport=${transport}>;regint=0;audio_codecs=${codecNames[options.codec ?? 'PCMU']}` +
          `${options.answers === true ? ';answermode=auto' : ''}\n`,
    )
    const family = options.address === '::1' ? ['-6'] : []
    const dial = options.dial === undefined ? [] : ['-e', `/dial ${options.dial}`]
    this.#child = spawn('baresip', ['-f', this.#folder, ...family, ...dial], { stdio: ['pipe', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', chunk => {
        this.output += chunk
      })
  }

  /** A command as typed: `/dial …`, or a key. */
  command(text: string): void {
    this.#child.stdin?.write(text)
  }

  said(text: string | RegExp, timeoutMs = 10_000): Promise<unknown> {
    return until(
      `baresip to say ${text}; it said:\n${this.output.slice(-2000)}`,
      () => (typeof text === 'string' ? this.output.includes(text) : text.test(this.output)),
      timeoutMs,
    )
  }

  /** Waits until the last half second that it has received is that tone. */
  hears(frequencyHz: number): Promise<unknown> {
    return until(`baresip to hear ${frequencyHz} Hz`, () => {
      const last = this.received(0.5)
      return last.length > 3900 && toneShare(last, frequencyHz) > 0.9
    })
  }

  /** What it has received so far, all or its end, decoded by itself, as 8 kHz samples. */
  received(lastSeconds = Number.POSITIVE_INFINITY): Int16Array {
    const file = readdirSync(this.#folder).find(name => name.endsWith('-dec.wav'))
    const bytes = file === undefined ? Buffer.alloc(0) : readFileSync(join(this.#folder, file))
    if (bytes.length < wavHeadLength) return new Int16Array(0)
    // While it writes, its header counts nothing; the samples are after it all the same.
    const [channels, rateHz] = [bytes.readUInt16LE(22), bytes.readUInt32LE(24)]
    const frameBytes = 2 * channels
    const frames = Math.floor((bytes.length - wavHeadLength) / frameBytes)
    const kept = Math.min(frames, Math.floor(lastSeconds * rateHz))
    const from = wavHeadLength + (frames - kept) * frameBytes
    const mono = Int16Array.from({ length: kept }, (_, at) => bytes.readInt16LE(from + at * frameBytes))
    return resample(mono, rateHz, 8000)
  }

  async stop(): Promise<void> {
    const closed = new Promise(resolve => this.#child.once('close', resolve))
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM')
      const force = setTimeout(() => this.#child.kill('SIGKILL'), 2000)
      await closed
      clearTimeout(force)
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
