import type { EventCode } from '../events/catalogue.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { Leg } from '../leg/leg.ts'
import { assertNever } from '../model/assert-never.ts'
import { SmallMap } from '../model/small-map.ts'
import type { AudioEvent } from '../ports/audio.ts'
import { type AudioSource, type MediaEvent, ringbackCountries, type ToneName } from '../ports/media.ts'
import type { ProgramCommand, SoundCommand } from '../verbs/index.ts'
import { PromptPrefetch } from './prompt-prefetch.ts'

interface Playing {
  /** Audio is being made or fetched; it waits for the warning tone; it is being played; it was ordered to stop. */
  state: 'loading' | 'waiting' | 'sounding'
  readonly loop: number
  readonly isSpeech: boolean
  /** The next prompt is known, and begins when this one ends. */
  readonly isFollowed: boolean
  source: AudioSource | undefined
  durationMs: number
  soundsSince: number
}

export interface PlayerListener {
  played(playId: string, spokenMs: number): void
  spoke(durationMs: number): void
}

type Command<T extends ProgramCommand['type']> = Extract<ProgramCommand, { readonly type: T }>
/** What a document may play to a party. */
export type PlayCommand = Command<'say' | 'play' | 'beep' | 'stop' | 'send-digits'>
type Played = Extract<MediaEvent, { readonly type: 'media.played' }>

/** Short tones that are played over any prompt; each has its own play id. */
type Notice = 'warning' | 'beep'

const ringId = 'ring-tone'

/** What we play to one leg: speech, assets, tones; and the digits we send it. */
export class Player {
  readonly #host: CallHost
  readonly #leg: Leg
  readonly #listener: PlayerListener
  readonly #plays = new SmallMap<string, Playing>()
  /** The first one is being played, or waits for the prompt that is. */
  readonly #notices: Notice[] = []
  /** Made when the next prompt is known while one is played. */
  #ahead: PromptPrefetch | undefined
  /** What of each text that is played while it is spoken has been reported as spoken, by request. */
  readonly #growing = new SmallMap<string, number>()
  #hasGrown = false
  #ringTone: AudioSource | undefined
  #ringRequest = 0
  #ringFallback: ToneName = 'ringback-ke'

  constructor(host: CallHost, leg: Leg, listener: PlayerListener) {
    this.#host = host
    this.#leg = leg
    this.#listener = listener
  }

  /** What is played or prepared, in sentences, for support. */
  get plays(): readonly string[] {
    return this.#plays.entries.map(({ key, value }) => `prompt ${key}: ${playWords[value.state]}`)
  }

  /** `isFollowed`: another Say or Play comes next. */
  perform(command: PlayCommand, isFollowed: boolean): void {
    switch (command.type) {
      case 'say':
      case 'play':
        this.#sounds(command, isFollowed)
        return
      case 'beep':
        this.#beep(command)
        return
      case 'stop':
        this.#stop(command)
        return
      case 'send-digits':
        this.#sendDigits(command)
        return
      default:
        assertNever(command)
    }
  }

  /** Will most likely be performed next: its audio is made ready, so that nothing is waited for between two prompts. */
  prepare(command: SoundCommand): void {
    this.#ahead ??= new PromptPrefetch()
    const requestId = this.#ahead.expect(command, this.#host.now())
    if (requestId !== undefined) this.#request(requestId, command)
  }

  #sounds(command: SoundCommand, isFollowed: boolean): void {
    const { playId, loop, type } = command
    this.#plays.set(playId, { ...fresh, loop, isSpeech: type === 'say', isFollowed })
    const taken = this.#ahead?.take(command, this.#host.now())
    if (taken === undefined || taken.is === 'unknown') this.#request(playId, command)
    else if (taken.is === 'here') for (const event of taken.events) this.audioDone(event)
  }

  #request(requestId: string, command: SoundCommand): void {
    if (command.type === 'play') {
      this.#load(requestId, command.source)
      return
    }
    const { text, ssml, voice, language } = command
    const { callId, record } = this.#host
    this.#host.emit({
      type: 'audio.speak',
      callId,
      requestId,
      accountId: record.accountUuid,
      text,
      ...(ssml === undefined ? {} : { ssml }),
      ...(voice === undefined ? {} : { voice }),
      ...(language === undefined ? {} : { language }),
    })
  }

  #beep({ playId }: Command<'beep'>): void {
    const play: Playing = { ...fresh, loop: 1, isSpeech: false }
    this.#plays.set(playId, play)
    this.#sound(playId, play, { kind: 'tone', tone: 'beep' })
  }

  #sendDigits({ playId, digits }: Command<'send-digits'>): void {
    this.#plays.set(playId, { ...fresh, state: 'sounding', loop: 1, isSpeech: false })
    this.#host.emit({ type: 'media.send-digits', legId: this.#leg.uuid, digitsId: playId, digits })
  }

  #stop({ playId }: Command<'stop'>): void {
    const play = this.#plays.get(playId)
    if (play === undefined) return
    if (play.state === 'sounding') this.#host.emit({ type: 'media.stop', legId: this.#leg.uuid, playId })
    else this.#finish(playId, 0)
  }

  /** Plays until `stopRinging` while a room has not begun: what `ring` takes, `silence`, or by default soft notes. */
  wait(sound: string | undefined): void {
    if (sound === undefined) this.#soundRing({ kind: 'tone', tone: 'waiting' })
    else if (sound !== 'silence') this.ring(sound, 'waiting')
  }

  /**
   * Plays until `stopRinging`: a country's tone by its code, else an asset of the account; `fallback` if that fails.
   */
  ring(ringTone: string, fallback: ToneName = 'ringback-ke'): void {
    this.#ringFallback = fallback
    if (ringbackCountries.some(country => country === ringTone)) {
      this.#soundRing({ kind: 'tone', tone: `ringback-${ringTone}` })
      return
    }
    this.#ringRequest++
    this.#load(`${ringId}:${this.#ringRequest}`, { asset: ringTone })
  }

  stopRinging(): void {
    this.#ringRequest++
    if (this.#ringTone === undefined) return
    this.#ringTone = undefined
    this.#host.emit({ type: 'media.stop', legId: this.#leg.uuid, playId: ringId })
  }

  /** A playing prompt is not cut short for the tone; the next prompt waits for it. */
  notify(tone: Notice): void {
    if (this.#notices.includes(tone)) return
    if (this.#notices.push(tone) > 1) return
    if (!this.#plays.entries.some(({ value }) => value.state === 'sounding')) this.#soundNotice()
  }

  /** Speech was made for it whose files are kept until the call is over. */
  get hasGrown(): boolean {
    return this.#hasGrown
  }

  audioDone(done: AudioEvent): void {
    if (done.type === 'audio.ready' && done.isGrowing === true) this.#hasGrown = true
    const event = this.#ahead === undefined ? done : this.#ahead.arrived(done, this.#host.now())
    if (event === undefined) return
    switch (event.type) {
      case 'audio.ready':
        this.#audioReady(event)
        return
      case 'audio.grown':
        this.#audioGrown(event)
        return
      case 'audio.failed':
        this.#audioFailed(event)
        return
      default:
        assertNever(event)
    }
  }

  #audioReady(event: Extract<AudioEvent, { type: 'audio.ready' }>): void {
    const { isGrowing, path } = event
    const source: AudioSource = { kind: 'file', path, ...(isGrowing === true ? { isGrowing } : {}) }
    if (event.requestId.startsWith(ringId)) {
      if (event.requestId === `${ringId}:${this.#ringRequest}`) this.#soundRing(source)
      return
    }
    const play = this.#plays.get(event.requestId)
    if (play === undefined || play.state !== 'loading') return
    if (event.unknownVoice !== undefined) this.#report('SAY.0404', { voice: event.unknownVoice.slice(0, 64) })
    if (play.isSpeech) this.#listener.spoke(event.durationMs)
    if (isGrowing === true) this.#growing.set(event.requestId, event.durationMs)
    play.durationMs = event.durationMs
    this.#sound(event.requestId, play, source)
  }

  /** Counted while the call lives, also when its play was stopped: it is spoken to its end. */
  #audioGrown({ requestId, durationMs, isWhole, detail }: Extract<AudioEvent, { type: 'audio.grown' }>): void {
    const reportedMs = this.#growing.get(requestId)
    if (reportedMs === undefined) return
    this.#listener.spoke(durationMs - reportedMs)
    if (isWhole) this.#growing.delete(requestId)
    else this.#growing.set(requestId, durationMs)
    const play = this.#plays.get(requestId)
    if (play !== undefined) play.durationMs = durationMs
    if (detail !== undefined) this.#report('SAY.0500', { detail })
  }

  #audioFailed(event: Extract<AudioEvent, { type: 'audio.failed' }>): void {
    this.#report(event.code, { detail: event.detail })
    if (event.requestId.startsWith(ringId)) {
      if (event.requestId === `${ringId}:${this.#ringRequest}`)
        this.#soundRing({ kind: 'tone', tone: this.#ringFallback })
    } else if (this.#plays.has(event.requestId)) {
      this.#finish(event.requestId, 0)
    }
  }

  mediaPlayed(event: Played): void {
    if (event.playId === ringId) return
    if (event.playId === this.#notices[0]) {
      this.#noticed()
      return
    }
    const play = this.#plays.get(event.playId)
    if (play === undefined) return
    if (event.fault !== undefined) {
      this.#report(event.fault === 'unsupported' ? 'PLAY.0415' : 'PLAY.0400', { detail: event.fault })
      this.#finish(event.playId, 0)
      return
    }
    const whole = play.durationMs * play.loop
    const sounded = Math.max(0, Math.round(this.#host.now() - play.soundsSince))
    this.#finish(event.playId, event.completed ? whole : Math.min(sounded, play.loop === 0 ? sounded : whole))
  }

  digitsSent(digitsId: string): void {
    if (this.#plays.has(digitsId)) this.#finish(digitsId, 0)
  }

  #load(requestId: string, source: Command<'play'>['source']): void {
    const { callId, record } = this.#host
    this.#host.emit({ type: 'audio.load', callId, requestId, accountId: record.accountUuid, source })
  }

  #sound(playId: string, play: Playing, source: AudioSource): void {
    play.source = source
    const mustWait = this.#notices.length > 0
    play.state = mustWait ? 'waiting' : 'sounding'
    if (mustWait) return
    play.soundsSince = this.#host.now()
    this.#host.emit({
      type: 'media.play',
      legId: this.#leg.uuid,
      playId,
      source,
      loop: play.loop,
      ...(play.isFollowed ? { isFollowed: true } : {}),
    })
  }

  #soundNotice(): void {
    const [tone] = this.#notices
    if (tone === undefined) return
    const source: AudioSource = { kind: 'tone', tone }
    this.#host.emit({ type: 'media.play', legId: this.#leg.uuid, playId: tone, source, loop: 1 })
  }

  #noticed(): void {
    this.#notices.shift()
    if (this.#notices.length > 0) {
      this.#soundNotice()
      return
    }
    for (const { key: playId, value: play } of this.#plays.entries) {
      if (play.state === 'waiting' && play.source !== undefined) this.#sound(playId, play, play.source)
    }
    if (this.#ringTone !== undefined) this.#soundRing(this.#ringTone)
  }

  #soundRing(source: AudioSource): void {
    this.#ringTone = source
    if (this.#notices.length > 0) return
    this.#host.emit({ type: 'media.play', legId: this.#leg.uuid, playId: ringId, source, loop: 0 })
  }

  #finish(playId: string, spokenMs: number): void {
    this.#plays.delete(playId)
    if (this.#plays.size === 0) this.#soundNotice()
    this.#listener.played(playId, spokenMs)
  }

  #report(code: EventCode, data: Readonly<Record<string, unknown>>): void {
    this.#host.commit([this.#host.event(code, { sid: this.#host.record.sid, ...data })])
  }
}

const playWords: Readonly<Record<Playing['state'], string>> = {
  loading: 'its audio is being made or fetched',
  waiting: 'it waits for a tone to end',
  sounding: 'it is played',
}

const fresh: Omit<Playing, 'loop' | 'isSpeech'> = {
  state: 'loading',
  isFollowed: false,
  source: undefined,
  durationMs: 0,
  soundsSince: 0,
}
