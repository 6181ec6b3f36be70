import { quoted } from './problem.ts'
import type { ProgramCommand, SoundCommand } from './program.ts'
import { urlProblem } from './url.ts'
import { type Leaving, nextVerb, type Step, type VerbModule, type VerbRun } from './verb.ts'
import { squeezed, textOf } from './xml.ts'

export interface Play {
  readonly source: { readonly asset: string } | { readonly url: string } | undefined
  /** 0 = until the caller hangs up. */
  readonly loop: number
  /** Sent as DTMF, after the audio when there is both. Empty = none. */
  readonly digits: string
}

type Report = Extract<ProgramCommand, { readonly type: 'report' }>

type PlayState =
  | { readonly at: 'answering' }
  | { readonly at: 'playing'; readonly playId: string }
  | { readonly at: 'sending'; readonly playId: string }

export const play: VerbModule<Play, PlayState> = {
  name: 'Play',

  about: {
    summary:
      'Plays audio, sends digits, or both in that order. Answers the call. A PLAY event reports what cannot be played, and the call goes on.',
    content:
      'The http or https URL of a WAV, MP3 (not in free format) or Ogg Opus file (up to 7.1, mixed) of at most 20 MB and an hour, unless `asset` is given; it has 10 s to arrive, and is asked for while the Say, Play or Pause before it runs. All of an account that are downloaded share 40 MB at once and 4 MB a second beyond (an ETag saves the download); what came and cannot be played is not asked for again for 10 s.',
    attributes: {
      asset: 'Slug of an uploaded asset; wins over the URL.',
      loop: 'How often; 0 = until the caller hangs up.',
      digits: 'Sent as DTMF after the audio; `w` waits half a second.',
    },
    example: '<Play asset="welcome" loop="2"/>',
  },

  parse({ element, attributes, problems }) {
    const loop = attributes.whole('loop', { min: 0, max: 1000, fallback: 1 })
    const digits = attributes.text('digits', /^[0-9A-Da-d*#w]{1,128}$/, 'up to 128 of 0-9 A-D * # and w') ?? ''
    // Whether the asset exists is known only when it is played: PLAY.0404 then.
    const asset = attributes.text('asset', /^.{1,256}$/s, 'the slug of an asset')
    if (asset !== undefined) return { source: { asset }, loop, digits }
    const url = squeezed(textOf(element))
    if (url === '') {
      if (digits !== '') return { source: undefined, loop, digits }
      problems.add(element, '<Play> needs an asset, a URL or digits; it is skipped')
      return undefined
    }
    const problem = urlProblem(url)
    if (problem !== undefined) problems.add(element, `<Play> ${quoted(url)} cannot be played: ${problem}`)
    return { source: { url }, loop, digits }
  },

  isLast: verb => verb.loop === 0 && verb.source !== undefined,
  isBrief: true,
  sound(verb, run) {
    const command = playCommand(verb, run, '')
    return command?.type === 'play' ? command : undefined
  },

  start: (verb, run) => {
    const command = playCommand(verb, run, '')
    if (command?.type === 'report') return { next: 'verb', commands: [command] }
    return run.answered
      ? begin(verb, run)
      : { next: 'wait', state: { at: 'answering' }, commands: [{ type: 'answer' }] }
  },

  on(state, event, verb, run) {
    switch (state.at) {
      case 'answering':
        return event.type === 'answered' ? begin(verb, run) : undefined
      case 'playing':
        return event.type === 'played' && event.playId === state.playId ? sendDigits(verb, run) : undefined
      case 'sending':
        return event.type === 'played' && event.playId === state.playId ? nextVerb : undefined
    }
  },

  stop: state => (state.at === 'playing' ? [{ type: 'stop', playId: state.playId }] : []),
}

function begin(verb: Play, run: VerbRun): Step<PlayState> {
  const playId = run.newId()
  const command = playCommand(verb, run, playId)
  if (command === undefined) return sendDigits(verb, run)
  return { next: 'wait', state: { at: 'playing', playId }, commands: [command] }
}

function sendDigits(verb: Play, run: VerbRun): Step<PlayState> | Leaving {
  if (verb.digits === '') return nextVerb
  const playId = run.newId()
  const command: ProgramCommand = {
    type: 'send-digits',
    playId,
    digits: verb.digits.toUpperCase().replaceAll('W', 'w'),
  }
  return { next: 'wait', state: { at: 'sending', playId }, commands: [command] }
}

/** The audio to play; a report when its URL is none; undefined when there are only digits. */
function playCommand(verb: Play, run: VerbRun, playId: string): SoundCommand | Report | undefined {
  const { source, loop } = verb
  if (source === undefined) return undefined
  if ('asset' in source) return { type: 'play', playId, source, loop }
  const url = run.resolve(source.url)
  if (url !== undefined) return { type: 'play', playId, source: { url }, loop }
  return {
    type: 'report',
    code: 'PLAY.0400',
    data: { url: quoted(source.url), detail: 'only http and https are played' },
  }
}
