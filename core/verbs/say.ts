import type { SoundCommand } from './program.ts'
import { readSpeech, type Speech } from './speech-markup.ts'
import { nextVerb, type Step, type VerbModule, type VerbRun } from './verb.ts'

export const maxSayCharacters = 4096

export interface Say {
  readonly speech: Speech
  readonly voice?: string
  readonly language?: string
  /** 0 = until the caller hangs up. */
  readonly loop: number
}

type SayState = { readonly at: 'answering' } | { readonly at: 'speaking'; readonly playId: string }

export const say: VerbModule<Say, SayState> = {
  name: 'Say',

  about: {
    summary: 'Speaks text to the caller. Answers the call.',
    content: `Text of at most ${maxSayCharacters} characters; SSML \`break\`, \`p\`, \`s\`, \`say-as\`, \`prosody\`, \`emphasis\` and \`sub\` where the engine can, else their text.`,
    attributes: {
      voice:
        "A name that the operator gave a voice, a voice of espeak-ng, or one of an engine by its name: `piper:sw_CD-lanfrica-medium`, `openai:alloy`. Default: the language's, else the operator's.",
      language: "Such as `sw` or `en-GB`. Default: the voice's.",
      loop: 'How often; 0 = until the caller hangs up.',
    },
    example: '<Say language="sw">Karibu. <break time="300ms"/> Tafadhali subiri.</Say>',
  },

  parse({ element, attributes, problems }) {
    const voice = attributes.text('voice', /^(\w{1,16}:)?[\w .,()+-]{1,64}$/, 'the name of a voice')
    const language = attributes.text('language', /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,3}$/, 'a language such as sw')
    const loop = attributes.whole('loop', { min: 0, max: 1000, fallback: 1 })
    const speech = readSpeech(element, problems)
    const length = [...speech.text].length
    if (length > maxSayCharacters) {
      problems.add(
        element,
        `<Say> has ${length} characters, more than ${maxSayCharacters}; it is not spoken`,
        'SAY.0413',
      )
      return undefined
    }
    if (speech.text === '' && speech.ssml === undefined) {
      problems.add(element, '<Say> has nothing to say; it is skipped')
      return undefined
    }
    return {
      speech,
      loop,
      ...(voice === undefined ? {} : { voice }),
      ...(language === undefined ? {} : { language }),
    }
  },

  isLast: verb => verb.loop === 0,
  isBrief: true,
  sound: verb => sayCommand(verb, ''),

  start: (verb, run) =>
    run.answered ? speak(verb, run) : { next: 'wait', state: { at: 'answering' }, commands: [{ type: 'answer' }] },

  on(state, event, verb, run) {
    switch (state.at) {
      case 'answering':
        return event.type === 'answered' ? speak(verb, run) : undefined
      case 'speaking':
        return event.type === 'played' && event.playId === state.playId ? nextVerb : undefined
    }
  },

  stop: state => (state.at === 'speaking' ? [{ type: 'stop', playId: state.playId }] : []),
}

function speak(verb: Say, run: VerbRun): Step<SayState> {
  const playId = run.newId()
  return { next: 'wait', state: { at: 'speaking', playId }, commands: [sayCommand(verb, playId)] }
}

const sayCommand = ({ speech, ...rest }: Say, playId: string): SoundCommand => ({
  type: 'say',
  playId,
  ...speech,
  ...rest,
})
