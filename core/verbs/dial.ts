import type { DialCallStatus, EndReason } from '../model/end-reason.ts'
import { ringbackCountries } from '../ports/media.ts'
import { dialableNumber, maxDialChildren, readDialChildren } from './dial-children.ts'
import type { Place } from './problem.ts'
import type { DialRequest } from './program.ts'
import { shownUrl } from './url.ts'
import { type Leaving, nextVerb, type Step, type VerbModule, type VerbRun } from './verb.ts'

export interface Dial {
  readonly action: string | undefined
  readonly request: DialRequest
  /** What is wrong with the `callerId` where the account may not present it. */
  readonly callerIdProblem?: Place
}

type DialState = { readonly at: 'answering' } | { readonly at: 'dialling'; readonly dialId: string }

interface Outcome {
  readonly status: DialCallStatus
  readonly durationSeconds: number
  readonly reason: EndReason
  readonly sid: string
}

/** How long cancelled legs may take to end once the caller has gone: Timer F and some (RFC 3261 §17.1.2.2). */
export const cancellingMs = 40_000

const noTarget: Outcome = { status: 'failed', durationSeconds: 0, reason: 'END.0404', sid: '' }
const callerGaveUp: Outcome = { status: 'no-answer', durationSeconds: 0, reason: 'END.0487', sid: '' }

export const dial: VerbModule<Dial, DialState> = {
  name: 'Dial',

  about: {
    summary: `Connects the caller with other parties. Up to ${maxDialChildren} children ring together, the first answer wins; with \`action\` no verb after it runs. A remote that redirects the call (3xx) is not followed: \`failed\`, END.0410.`,
    content: 'A number as plain text, or the nouns below.',
    attributes: {
      action: 'Where the outcome is posted, and where the next document comes from. Default: none, the next verb runs.',
      callerId:
        "What the dialled side sees: a number of the account; towards Clients, extensions and Sip URIs it may also be the inbound caller's. Any other gives way to this call's own number, which DOC.0422 reports once; a Number is not dialled (END.0403) when the account no longer owns that one either. Default: Clients, extensions and Sip URIs see who calls, the number of an inbound caller or the extension and name of a softphone; Numbers, by a trunk or on this switch, see the call's own number.",
      timeout: 'How long it rings.',
      timeLimit: 'How long they may talk.',
      answerOnBridge: 'The caller is answered when the remote side is; false answers before it is dialled.',
      hangupOnStar: 'The caller ends the Dial with `*`.',
      sequential:
        'One child after another instead of all at once. The next is dialled once the one before it has ended; if it does not confirm that it was cancelled, two seconds later.',
      ringTone: `Slug of an asset, or a country's code (${ringbackCountries.join(' ')}); played when the caller is answered before the remote side. Default: \`ke\`.`,
      record: 'Whether the two are recorded, on one or two channels.',
    },
    actionFields: {
      DialCallStatus: '`completed`, `busy`, `no-answer` or `failed`.',
      DialCallDuration: 'Seconds that the dialled leg was connected, or the caller in the room; 0 unless answered.',
      DialReasonCode: 'Why the leg ended, `END.<digits>`.',
      DialCallSid: 'The leg, or the stay in the room, as in the DIAL events.',
    },
    example: '<Dial action="/done" timeout="20"><Number>+254711000001</Number><Client>1001</Client></Dial>',
  },

  parse({ element, attributes, problems }) {
    const action = attributes.url('action')
    const written = element.attributes.get('callerId') ?? ''
    const callerId = attributes
      .text('callerId', /^[\d+ ().-]{1,32}$/, 'a number of the account')
      ?.replace(/[ ().-]/g, '')
    const presentable = callerId === undefined || dialableNumber.test(callerId)
    if (!presentable) attributes.bad('callerId', callerId, 'a number of the account')
    return {
      action,
      ...(presentable && callerId !== undefined
        ? { callerIdProblem: attributes.problem('callerId', written, 'an active number of the account') }
        : {}),
      request: {
        ...readDialChildren(element, problems),
        timeoutMs: attributes.secondsMs('timeout', { min: 1, max: 600, fallback: 30 }),
        timeLimitMs: attributes.secondsMs('timeLimit', { min: 1, max: 14_400, fallback: 14_400 }),
        ...(presentable && callerId !== undefined ? { callerId } : {}),
        answerOnBridge: attributes.flag('answerOnBridge', true),
        hangupOnStar: attributes.flag('hangupOnStar', false),
        sequential: attributes.flag('sequential', false),
        ringTone: attributes.text('ringTone', /^[a-z0-9-]{1,64}$/, 'a country code or the slug of an asset') ?? 'ke',
        record: attributes.choice(
          'record',
          ['do-not-record', 'record-from-answer', 'record-from-answer-dual'],
          'do-not-record',
        ),
      },
    }
  },

  isLast: verb => verb.action !== undefined,

  start(verb, run) {
    const { targets, conference, answerOnBridge } = verb.request
    if (targets.length === 0 && conference === undefined) return done(verb, noTarget)
    // A room that is full does not answer: it answers by itself.
    if (answerOnBridge || run.answered || conference !== undefined) return ring(verb, run)
    return { next: 'wait', state: { at: 'answering' }, commands: [{ type: 'answer' }] }
  },

  on(state, event, verb, run) {
    switch (state.at) {
      case 'answering':
        return event.type === 'answered' ? ring(verb, run) : undefined
      case 'dialling':
        if (event.type === 'dialled' && event.dialId === state.dialId) return done(verb, event)
        // Only after the caller has gone is there anything to wake for.
        return event.type === 'wake' ? done(verb, callerGaveUp) : undefined
    }
  },

  gone(state, verb, run) {
    if (state.at !== 'dialling') return done(verb, callerGaveUp)
    return { next: 'wait', state, wakeAt: run.now + cancellingMs }
  },
}

function ring(verb: Dial, run: VerbRun): Step<DialState> {
  const dialId = run.newId()
  const { request, callerIdProblem: place } = verb
  const dial =
    place === undefined ? request : { ...request, callerIdProblem: { url: shownUrl(run.documentUrl), ...place } }
  return { next: 'wait', state: { at: 'dialling', dialId }, commands: [{ type: 'dial', dialId, dial }] }
}

function done(verb: Dial, outcome: Outcome): Leaving {
  if (verb.action === undefined) return nextVerb
  return {
    next: 'document',
    url: verb.action,
    extras: {
      DialCallStatus: outcome.status,
      DialCallDuration: outcome.durationSeconds,
      DialReasonCode: outcome.reason,
      DialCallSid: outcome.sid,
    },
  }
}
