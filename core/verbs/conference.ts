import { ringbackCountries } from '../ports/media.ts'
import type { Attributes } from './attributes.ts'
import { type ProblemList, quoted } from './problem.ts'
import type { ConferenceOrder } from './program.ts'
import type { VerbAbout } from './verb.ts'
import { type Element, squeezed, textOf } from './xml.ts'

const maxRoomMembers = 50
const fewestMembers = 2

export const aboutConference: VerbAbout = {
  summary: `A room of the account, by its name, where up to ${maxRoomMembers} callers receive each other's audio. It is there from its first member to its last, answers the caller, and is the only child of its Dial. A caller who leaves it (\`hangupOnStar\`, \`timeLimit\`, or the end of the room) goes on with the document: DialCallStatus is \`completed\`, and DialCallDuration counts from when the caller was let in, waiting included. \`timeout\`, \`callerId\`, \`answerOnBridge\`, \`sequential\` and \`ringTone\` mean nothing here. \`record\` of the Dial records this caller and what it hears, from the start of the room. Digits are reported in events; the other members do not receive them.`,
  content: 'The name of the room, up to 128 characters.',
  attributes: {
    muted: 'The caller only listens.',
    startOnEnter: 'The room starts when this caller enters. Until a participant starts it, all wait.',
    endOnExit: 'The room ends for all when this caller leaves it.',
    beep: 'Two tones for all members when this caller enters, or leaves, or both.',
    waitAsset: `Heard until the room starts, over and over: slug of an asset, a country's ringing tone by its code (${ringbackCountries.slice(0, 4).join(' ')} …), or \`silence\`. Default: two soft tones every six seconds.`,
    maxMembers: `How many may be in the room with this caller. Who finds it full is not answered by it: DialCallStatus is \`busy\`, DialReasonCode END.0486.`,
  },
  example:
    '<Dial action="/left" hangupOnStar="true"><Conference startOnEnter="false" waitAsset="hold-music">Board 7</Conference></Dial>',
}

/** A room to enter; undefined when its name is none. */
export function readConference(
  element: Element,
  attributes: Attributes,
  problems: ProblemList,
): ConferenceOrder | undefined {
  const beep = attributes.choice('beep', ['true', 'false', 'onEnter', 'onExit'], 'true')
  const wait = attributes.text('waitAsset', /^[a-z0-9-]{1,64}$/, 'the slug of an asset, a country code or silence')
  const order = {
    muted: attributes.flag('muted', false),
    startOnEnter: attributes.flag('startOnEnter', true),
    endOnExit: attributes.flag('endOnExit', false),
    beepOnEnter: beep === 'true' || beep === 'onEnter',
    beepOnExit: beep === 'true' || beep === 'onExit',
    ...(wait === undefined ? {} : { wait }),
    maxMembers: attributes.whole('maxMembers', { min: fewestMembers, max: maxRoomMembers, fallback: maxRoomMembers }),
  }
  const name = squeezed(textOf(element))
  if (/^\P{Cc}{1,128}$/u.test(name)) return { kind: 'conference', name, ...order }
  problems.add(element, `<Conference> ${quoted(name)} is no name of a room; no caller enters it`)
  return undefined
}
