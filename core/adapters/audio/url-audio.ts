import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainDetail } from '../../model/connection-fault.ts'
import type { HttpAnswer, HttpClient } from '../http/index.ts'
import { BytePace } from '../queue/byte-pace.ts'
import { FairQueue } from '../queue/fair-queue.ts'
import type { AudioCache, CachedAudio } from './audio-cache.ts'
import type { AudioConverter } from './audio-converter.ts'
import { type AudioFault, audioFault } from './audio-fault.ts'
import { kindOfAudio } from './audio-kind.ts'
import { inspectWav, unknownAudio } from './inspect-audio.ts'

const maxAudioBytes = 20 * 1024 * 1024
export const fetchTimeoutMs = 10_000

/** Each may hold `maxAudioBytes` in memory. */
const fetchesAtOnce = 64
/** Fetches of one account at a time: its servers may hang. */
const fetchesOfOwner = 16

const maxWaiting = 5000
const maxWaitingPerOwner = 1000

/** What an account downloads, in all: reading takes the time of the thread that calls need. */
const defaultPace = { bytesPerSecond: 4 * 1024 * 1024, burstBytes: 40 * 1024 * 1024 }
/** By then it is seen whether it is audio at all. */
const judgedBytes = 64 * 1024
/** What was downloaded and could not be played is not asked for again for so long. */
const failedMs = 10_000

/** URLs whose ETag is remembered; the oldest is forgotten first. */
const maxRemembered = 10_000

const maxEtagLength = 256

/** Hops that one Play follows; all of them share its time. */
const maxRedirects = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Audio by URL. Each use asks the server again; with the same ETag the copy here is played. */
export class UrlAudio {
  readonly #http: Pick<HttpClient, 'get'>
  readonly #cache: AudioCache
  readonly #converter: AudioConverter
  readonly #queue = new FairQueue({
    width: fetchesAtOnce,
    widthPerOwner: fetchesOfOwner,
    maxWaiting,
    maxWaitingPerOwner,
  })
  /** Calls of an account that want the same at the same time share one fetch. */
  readonly #underWay = new Map<string, Promise<CachedAudio | AudioFault>>()
  readonly #remembered = new Map<string, { readonly etag: string; readonly key: string }>()
  /** By account and URL, the oldest first. */
  readonly #failed = new Map<string, { readonly fault: AudioFault; readonly until: number }>()
  readonly #pace: BytePace

  constructor(http: Pick<HttpClient, 'get'>, cache: AudioCache, converter: AudioConverter, pace = defaultPace) {
    this.#http = http
    this.#cache = cache
    this.#converter = converter
    this.#pace = new BytePace(pace)
  }

  /** `owner` takes its turn among the owners. Rejects only when the disk fails or far too much waits. */
  load(owner: string, url: string): Promise<CachedAudio | AudioFault> {
    const key = `${owner} ${url}`
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const failed = this.#failed.get(key)
    if (failed !== undefined && failed.until > performance.now()) return Promise.resolve(failed.fault)
    const result = this.#queue.run(owner, () => this.#get(owner, url)).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, result)
    return result
  }

  async #get(owner: string, url: string): Promise<CachedAudio | AudioFault> {
    const remembered = this.#remembered.get(url)
    const copy = remembered === undefined ? undefined : await this.#cache.find(remembered.key)
    const etag = copy === undefined ? undefined : remembered?.etag
    const download = new Download(bytes => this.#pace.waitMs(owner, bytes, performance.now()))
    const answer = await this.#follow(owner, url, etag, download)
    if (answer.ok && answer.status === 304 && copy !== undefined) return copy
    const fault = faultOf(answer, download.hasWaited)
    if (fault !== undefined || !answer.ok) return fault ?? audioFault('PLAY.0400', 'it could not be fetched')
    const key = download.hash()
    const stored = (await this.#cache.find(key)) ?? (await this.#keep(owner, key, answer.body))
    if ('ok' in stored) {
      this.#fail(`${owner} ${url}`, stored)
      return stored
    }
    this.#remember(url, answer.etag, key)
    return stored
  }

  /** As WAV, whatever came. */
  async #keep(owner: string, key: string, body: Uint8Array): Promise<CachedAudio | AudioFault> {
    const kind = kindOfAudio(body)
    if (kind === undefined) return unknownAudio(body)
    if (kind !== 'wav') return this.#cache.make(owner, key, path => this.#converter.convert(owner, body, path))
    const audio = inspectWav(body)
    return audio.ok ? this.#cache.put(owner, key, audio.durationSeconds * 1000, body) : audio
  }

  /** Asset stores hand out redirects to signed addresses; each hop is refused by the same rules as the first. */
  async #follow(owner: string, first: string, etag: string | undefined, download: Download): Promise<HttpAnswer> {
    const deadline = performance.now() + fetchTimeoutMs
    let url = first
    for (let hops = 0; ; hops++) {
      const timeoutMs = Math.ceil(deadline - performance.now())
      if (timeoutMs <= 0) return { ok: false, fault: 'timeout', detail: `more than ${fetchTimeoutMs} ms` }
      const answer = await this.#http.get(url, {
        owner,
        maxBytes: maxAudioBytes,
        timeoutMs,
        eachPiece: piece => download.take(piece),
        ...(etag === undefined ? {} : { etag }),
      })
      if (!answer.ok || !redirects.has(answer.status) || answer.location === '') return answer
      const next = URL.parse(answer.location, url)
      if (next === null) return answer
      if (hops === maxRedirects) return { ok: false, fault: 'transport', detail: `more than ${maxRedirects} redirects` }
      url = next.href
    }
  }

  #fail(key: string, fault: AudioFault): void {
    this.#failed.delete(key)
    this.#failed.set(key, { fault, until: performance.now() + failedMs })
    const oldest = this.#failed.keys().next()
    if (this.#failed.size > maxRemembered && oldest.done !== true) this.#failed.delete(oldest.value)
  }

  #remember(url: string, etag: string, key: string): void {
    this.#remembered.delete(url)
    if (etag === '' || etag.length > maxEtagLength) return
    this.#remembered.set(url, { etag, key })
    const oldest = this.#remembered.keys().next()
    if (this.#remembered.size > maxRemembered && oldest.done !== true) this.#remembered.delete(oldest.value)
  }
}

/** A body on its way: hashed piece by piece, read no faster than the account may, given up when it is no audio. */
class Download {
  readonly #waitMs: (bytes: number) => number
  readonly #hash = createHash('sha256')
  #head: Uint8Array[] = []
  #length = 0
  hasWaited = false

  constructor(waitMs: (bytes: number) => number) {
    this.#waitMs = waitMs
  }

  /** False: more of it is not wanted. */
  async take(piece: Uint8Array): Promise<boolean> {
    this.#hash.update(piece)
    if (this.#length < judgedBytes) this.#head.push(piece)
    const isJudged = this.#length < judgedBytes && this.#length + piece.length >= judgedBytes
    this.#length += piece.length
    if (isJudged && kindOfAudio(Buffer.concat(this.#head)) === undefined) return false
    if (isJudged) this.#head = []
    const waitMs = this.#waitMs(piece.length)
    if (waitMs <= 0) return true
    this.hasWaited = true
    await sleep(waitMs)
    return true
  }

  hash(): string {
    return this.#hash.digest('hex')
  }
}

function faultOf(answer: HttpAnswer, isPaced: boolean): AudioFault | undefined {
  if (!answer.ok) {
    switch (answer.fault) {
      case 'timeout':
        return audioFault('PLAY.0408', isPaced ? `${answer.detail}; the account downloads much at once` : answer.detail)
      case 'too-large':
        return audioFault('PLAY.0413', answer.detail)
      case 'refused-address':
      case 'transport':
      case 'aborted':
        return audioFault('PLAY.0400', plainDetail(answer))
    }
  }
  if (answer.status === 200) return undefined
  const missing = answer.status === 404 || answer.status === 410
  return audioFault(missing ? 'PLAY.0404' : 'PLAY.0400', `the server answered ${answer.status}`)
}
