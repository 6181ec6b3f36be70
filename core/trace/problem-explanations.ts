import type { CallProblem } from '../model/call-problem.ts'
import type { EndReason } from '../model/end-reason.ts'
import { type EndFacts, type Explanation, placeOf } from './end-facts.ts'

/** Problems that end no call: audio and recordings that failed. */
export type ProblemCode = Exclude<CallProblem, EndReason>

const isUrl = (source: string): boolean => /^https?:/i.test(source)

/** What was to be played. */
function audio({ source }: EndFacts): string {
  if (source === undefined) return 'The audio'
  return isUrl(source) ? source : `The asset ${JSON.stringify(source)}`
}

const by = ({ verb }: EndFacts): string => (verb === undefined ? '' : ` by <${verb.name}> in ${placeOf(verb)}`)
const silent = (facts: EndFacts): string => `, so nothing was played${by(facts)}`
const because = ({ detail }: EndFacts): string => (detail ? `: ${detail}` : '')

/** Enough of a text to know it by. */
const knownBy = 60
const shortened = (text: string): string => (text.length > knownBy ? `${text.slice(0, knownBy)}…` : text)

/** Why a recording was not begun (`core/talk/call-recordings.ts`). */
const refusedFor =
  (words: string) =>
  ({ detail = '' }: EndFacts): boolean =>
    detail.includes(words)

/** Why each problem comes about and what to do: trace, CLI and `/docs/reasons` read this table, as that of the reasons. */
export const problemExplanations: Readonly<Record<ProblemCode, Explanation & { readonly label: string }>> = {
  'PLAY.0400': {
    label: 'Audio not playable',
    why: facts => `${audio(facts)} could not be played${silent(facts)}${because(facts)}.`,
    advice:
      'Open its address in a browser from outside of your network: it must answer 200 with a whole WAV, MP3 or Ogg Opus file, without a login.',
  },
  'PLAY.0404': {
    label: 'Audio not found',
    cases: [
      {
        when: ({ source }) => source !== undefined && !isUrl(source),
        why: facts => `There is no asset ${JSON.stringify(facts.source)}${silent(facts)}.`,
        advice:
          'Upload it under this name (Assets in the portal, `PUT /assets/{slug}`), or mend the name in the document.',
      },
    ],
    why: facts => `${audio(facts)} was not found${silent(facts)}.`,
    advice: 'Mend the name or the address in the document, or put the file there.',
  },
  'PLAY.0408': {
    label: 'Audio too slow',
    why: facts => `${audio(facts)} took more than 10 seconds to fetch${silent(facts)}.`,
    advice: 'Make the file smaller, put it on a faster server, or upload it as an asset: that is played at once.',
  },
  'PLAY.0413': {
    label: 'Audio too large',
    why: facts => `${audio(facts)} is larger than 20 MB or longer than an hour${silent(facts)}.`,
    advice: 'Make it shorter, or save it as MP3 or Ogg Opus, which take a tenth of the room of a WAV.',
  },
  'PLAY.0415': {
    label: 'Not audio that is played',
    why: facts => `${audio(facts)} is of a type that cannot be played${silent(facts)}${because(facts)}.`,
    advice:
      'Save it as WAV, MP3 or Ogg Opus. Open its address in a browser: some servers answer with a page in place of the file.',
  },
  'SAY.0404': {
    label: 'Voice unknown',
    why: facts =>
      `The voice${facts.voice === undefined ? '' : ` ${JSON.stringify(facts.voice)}`} is unknown, so the default voice spoke${facts.verb === undefined ? '' : ` for <${facts.verb.name}> in ${placeOf(facts.verb)}`}.`,
    advice:
      'Mend the name of the voice in the document, leave `voice` out, or ask the operator which voices are set up.',
  },
  'SAY.0413': {
    label: 'Text too long',
    why: () => 'A <Say> has more than 4096 characters; it was not spoken.',
    advice: 'Spread the text over several <Say>.',
  },
  'SAY.0500': {
    label: 'Speech failed',
    why: facts =>
      `${facts.text === undefined ? 'A text' : JSON.stringify(shortened(facts.text))} was not spoken to its end${by(facts)}${because(facts)}.`,
    advice: 'Call again. If it goes on, the operator looks at the speech engine and at the log of the switch.',
  },
  'REC.0400': {
    label: 'Recording failed',
    cases: [
      {
        when: refusedFor('bytes of recordings'),
        why: facts => `A recording failed${because(facts)}.`,
        advice: 'Delete recordings that are not needed, or ask the operator for a larger quota.',
      },
      {
        when: refusedFor('recordings that have not ended'),
        why: facts => `A recording failed${because(facts)}.`,
        advice: 'Begin fewer recordings in one call, and end each before the next one.',
      },
    ],
    why: facts => `A recording failed${because(facts)}.`,
    advice: 'The operator looks at the room on the disk for recordings, and at the log of the switch.',
  },
}

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemExplanations, code)
