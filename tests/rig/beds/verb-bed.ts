import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as assert from 'uvu/assert'
import { wavHeader } from '../../../rtp/index.ts'
import { type Customer, codesOf, type Post } from '../peers/customer.ts'
import { RtpEndpoint } from '../peers/rtp-endpoint.ts'
import { mediaPortSeen, Sipp } from '../peers/sipp.ts'
import { decodePcmu } from '../probes/g711.ts'
import { until } from '../probes/wait.ts'
import { type BedAccount, expectStatus } from './account.ts'
import { requirePeers } from './debian.ts'
import { SwitchBed } from './switch-bed.ts'
import type { SwitchProcess } from './switch-process.ts'

export interface CallOptions {
  /** How the caller behaves; default: it waits for the switch to hang up. */
  readonly scenario?: string
  /** The scenario's pause. */
  readonly pauseMs?: number
  readonly timeoutSeconds?: number
  /** What the scenario leaves open. */
  readonly keys?: Readonly<Record<string, string>>
}

/** Documents of a call: what `/voice` answers, and others by their path. */
export type Documents = string | { readonly voice: string; readonly [path: `/${string}`]: string }

/**
 * A switch, a customer and a carrier for tests of verbs: each call is a real one, with its own document and its own audio,
 * and many run at once.
 */
export class VerbBed {
  readonly on: SwitchProcess
  readonly account: BedAccount
  readonly customer: Customer
  readonly #bed: SwitchBed
  readonly #documents = new Map<string, Exclude<Documents, string>>()
  #calls = 0

  private constructor(bed: SwitchBed) {
    this.#bed = bed
    this.on = bed.on
    this.account = bed.account
    this.customer = bed.customer
  }

  /** `env`: settings of the switch beside those of the bed. */
  static async open(env: Record<string, string> = {}): Promise<VerbBed> {
    requirePeers('sipp', 'espeak-ng', 'ffmpeg')
    const bed = new VerbBed(await SwitchBed.open({ env, prefixes: ['+1'] }))
    // Its calls run side by side: none of them waits for another's turn.
    const caps = { max_calls_per_second: 1000, max_inbound_calls: 1000, max_dialled_legs: 1000 }
    expectStatus(await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, caps), 200)
    bed.#serve('/voice')
    await bed.account.webhook('voice_inbound', bed.customer.url('/voice'))
    await bed.#bed.tellStatus()
    return bed
  }

  close(): Promise<void> {
    return this.#bed.close()
  }

  asset(slug: string, samples: Int16Array): Promise<void> {
    return this.account.asset(slug, samples)
  }

  /** A call to the account's number; resolves when its caller has sent the INVITE. */
  async call(documents: Documents, options: CallOptions = {}): Promise<VerbCall> {
    const from = `+25472200${String(++this.#calls).padStart(4, '0')}`
    const by = typeof documents === 'string' ? { voice: documents } : documents
    for (const path of Object.keys(by)) if (path.startsWith('/')) this.#serve(path)
    this.#documents.set(from, by)
    const rtp = await RtpEndpoint.open()
    const sipp = await this.#bed.caller({ rtpPort: rtp.port, from, ...options })
    return new VerbCall(this, from, sipp, rtp)
  }

  /** As the switch's own bed has it. */
  destination(): ReturnType<SwitchBed['destination']> {
    return this.#bed.destination()
  }

  /** A callee at the remote side of its own trunk, with its own number. */
  async callee(scenario = 'callee', pauseMs = 1000): Promise<Callee> {
    const { number, port } = await this.destination()
    const rtp = await RtpEndpoint.open()
    const sipp = new Sipp({ scenario, localPort: port, rtpPort: rtp.port, pauseMs })
    await sipp.listening()
    return { number, rtp, sipp, aim: () => aimed(rtp, sipp, 'INVITE ') }
  }

  #serve(path: string): void {
    this.customer.on(path, (post, response) => {
      const documents = this.#documents.get(post.body.From)
      const text = path === '/voice' ? documents?.voice : documents?.[path as `/${string}`]
      response.writeHead(200, { 'content-type': 'application/xml' }).end(`<Response>${text ?? ''}</Response>`)
    })
  }
}

export interface Callee {
  readonly number: string
  readonly rtp: RtpEndpoint
  readonly sipp: Sipp
  /** Resolves once the switch's address for its audio is known. */
  aim(): Promise<void>
}

async function aimed(rtp: RtpEndpoint, sipp: Sipp, startLine: string): Promise<void> {
  rtp.aim(await until(`the switch's audio port in ${startLine}`, () => mediaPortSeen(sipp, startLine), 20_000))
}

/** One call from its caller's side, and what the customer saw of it. */
export class VerbCall {
  readonly rtp: RtpEndpoint
  readonly sipp: Sipp
  readonly #bed: VerbBed
  readonly #from: string

  constructor(bed: VerbBed, from: string, sipp: Sipp, rtp: RtpEndpoint) {
    this.#bed = bed
    this.#from = from
    this.sipp = sipp
    this.rtp = rtp
  }

  /** Answered, and the caller's audio has somewhere to go. */
  answered(): Promise<void> {
    return aimed(this.rtp, this.sipp, 'SIP/2.0 200')
  }

  /** The caller's scenario has gone through. Gives all messages. */
  async done(): Promise<string> {
    const { code, messages, errors } = await this.sipp.done
    this.rtp.close()
    assert.is(code, 0, `${errors}\n${messages.slice(-3000)}`)
    return messages
  }

  /** The account ends it. */
  async hangUp(): Promise<void> {
    expectStatus(await this.#bed.account.api('POST', '/calls/hangup', { sid: await this.sid() }), 200)
  }

  /** What the customer was posted at a path, for this call. */
  posts(path: string): readonly Post[] {
    return this.#bed.customer.to(path).filter(post => post.body.From === this.#from)
  }

  post(path: string, timeoutMs = 20_000): Promise<Post> {
    return until(`a POST to ${path}`, () => this.posts(path)[0], timeoutMs)
  }

  async sid(): Promise<string> {
    return (await this.post('/voice')).body.CallSid
  }

  /** The record, once the call is over. */
  async record(): Promise<any> {
    const sid = await this.sid()
    return until('the end of the record', async () => {
      const call = await this.#bed.account.call(sid)
      return (call?.status === 'completed' || call?.status === 'failed') && call
    })
  }

  /** Codes of the status callbacks so far. */
  async codes(): Promise<readonly string[]> {
    const sid = await this.sid()
    return codesOf(this.#bed.customer.to('/status').filter(post => post.body.sid === sid))
  }

  /**
   * Codes of all the call's events, also of those without a callback, once it is over: they are stored after what
   * they report.
   */
  async events(): Promise<readonly string[]> {
    await this.record()
    return this.eventsSoFar()
  }

  async eventsSoFar(): Promise<readonly string[]> {
    return eventCodes(this.#bed.on.dataFolder, await this.sid())
  }

  /** How often the document was found at fault. */
  async problems(): Promise<number> {
    return (await this.events()).filter(code => code === 'DOC.0422').length
  }

  /** All that the caller has received, with its timing: samples from the first packet on. */
  heard(): Int16Array {
    return heardBy(this.rtp)
  }

  /** Files of the call's recordings, oldest first, once they are complete; what is no WAV was made one by ffmpeg. */
  async recordings(count = 1): Promise<readonly Wav[]> {
    const sid = await this.sid()
    return (await this.recordingRows(count)).map(row => {
      const day = new Date(row.created_at)
      const folder = join(String(day.getUTCFullYear()), String(day.getUTCMonth() + 1).padStart(2, '0'))
      const path = join(this.#bed.on.dataFolder, 'recordings', folder, `${sid}-${row.uuid}.${row.media_format}`)
      assert.is(statSync(path).size, row.size_bytes)
      return row.media_format === 'ogg' ? readOgg(path) : readWav(path)
    })
  }

  /** What the API lists of them. */
  async recordingRows(count = 1): Promise<readonly RecordingRow[]> {
    const { uuid } = await this.record()
    const rows = await until(`${count} recordings`, async () => {
      const answer = await this.#bed.account.api('GET', `/recordings/?call_uuid=${uuid}`)
      const list = expectStatus(answer, 200).body as RecordingRow[]
      return list.length >= count && list.every(row => row.size_bytes !== null) && list
    })
    return rows.sort((a, b) => a.created_at.localeCompare(b.created_at))
  }
}

/** Where a file of a recording is, and what the API says of it. */
export interface RecordingRow {
  readonly uuid: string
  readonly duration_seconds: number
  readonly size_bytes: number | null
  readonly media_format: 'wav' | 'ogg'
  readonly created_at: string
}

interface Wav {
  readonly channels: number
  readonly seconds: number
  /** Samples of each channel. */
  readonly sides: readonly Int16Array[]
}

export const readWav = (path: string): Wav => wavIn(readFileSync(path))

/** Through ffmpeg, at 8,000 Hz; every channel is kept. */
export function readOgg(path: string): Wav {
  const decoded = spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-ar', '8000', '-f', 's16le', '-'], {
    maxBuffer: 1 << 28,
  })
  assert.is(decoded.status, 0, decoded.stderr.toString())
  const asked = ['-v', 'error', '-show_entries', 'stream=channels,codec_name', '-of', 'csv=p=0', path]
  const [codec, channels] = spawnSync('ffprobe', asked, { encoding: 'utf8' }).stdout.trim().split(',')
  assert.is(codec, 'opus')
  const format = { encoding: 'pcm16', sampleRate: 8000, channels: Number(channels) } as const
  return wavIn(Buffer.concat([wavHeader(format, decoded.stdout.length), decoded.stdout]))
}

function wavIn(bytes: Buffer): Wav {
  assert.is(bytes.toString('latin1', 0, 4), 'RIFF')
  const channels = bytes.readUInt16LE(22)
  const dataAt = bytes.indexOf('data') + 8
  const length = bytes.readUInt32LE(dataAt - 4)
  assert.ok(dataAt + length <= bytes.length, 'the file holds what its header says')
  assert.is(bytes.readUInt32LE(4), dataAt - 8 + length, 'the length of RIFF is that of its parts')
  const frames = length / 2 / channels
  const sides = Array.from({ length: channels }, (_, side) =>
    Int16Array.from({ length: frames }, (_, at) => bytes.readInt16LE(dataAt + 2 * (at * channels + side))),
  )
  return { channels, seconds: frames / 8000, sides }
}

/** PCMU packets laid out by their timestamps. */
export function heardBy(rtp: RtpEndpoint): Int16Array {
  const packets = rtp.received.filter(packet => packet.payloadType === 0)
  const first = packets[0]
  if (first === undefined) return new Int16Array(0)
  const places = packets.map(packet => (packet.timestamp - first.timestamp) | 0)
  const length = Math.max(...places.map((place, at) => place + packets[at]!.payload.length))
  const samples = new Int16Array(length)
  packets.forEach((packet, at) => {
    if (places[at]! >= 0) samples.set(decodePcmu(packet.payload), places[at])
  })
  return samples
}

/** Every event of a call, from the event log itself. */
function eventCodes(dataFolder: string, sid: string): readonly string[] {
  const file = readdirSync(dataFolder).find(name => /\.(db|sqlite3?)$/.test(name))
  if (file === undefined) throw new Error('no database in the data folder')
  const database = new Database(join(dataFolder, file), { readonly: true })
  try {
    const rows = database.prepare<[string], { code: string }>('SELECT code FROM events WHERE sid = ? ORDER BY rowid')
    return rows.all(sid).map(row => row.code)
  } finally {
    database.close()
  }
}
