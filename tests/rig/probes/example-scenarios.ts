import type { CallHandler } from '../../../core/document-builder/index.ts'
import { afterHours } from '../../../docs/examples/calls/after-hours.ts'
import { browserPhone } from '../../../docs/examples/calls/browser-phone.ts'
import { clickToCall } from '../../../docs/examples/calls/click-to-call.ts'
import { dialByExtension } from '../../../docs/examples/calls/dial-by-extension.ts'
import { forwarding } from '../../../docs/examples/calls/forwarding.ts'
import { maskedNumbers } from '../../../docs/examples/calls/masked-numbers.ts'
import { menu } from '../../../docs/examples/calls/menu.ts'
import { recordedCall } from '../../../docs/examples/calls/recorded-call.ts'
import { reminder } from '../../../docs/examples/calls/reminder.ts'
import { spokenCode } from '../../../docs/examples/calls/spoken-code.ts'
import { supportQueue } from '../../../docs/examples/calls/support-queue.ts'
import { voicemail } from '../../../docs/examples/calls/voicemail.ts'

/** Behaviour of a dialled party: in reality a scenario of sipp. */
export type Callee = 'busy' | 'rings' | 'stays' | { readonly hangsUpAfterMs: number }

/** Once a party receives this, it sends digits or speaks. `{0}`, `{1}` …: the extensions of the users. */
interface Turn {
  readonly hears: string
  readonly keys?: string
  readonly speaksMs?: number
}

export type Start =
  | { readonly by: 'caller'; readonly from: string }
  | { readonly by: 'api'; readonly to: string; readonly path?: string; readonly customPayload?: string }
  /** The phone of the user of that index. */
  | { readonly by: 'phone'; readonly user: number; readonly to: string }

export interface Party {
  readonly start: Start
  /** Time after the answer at which it hangs up; else it waits for the switch to. */
  readonly hangsUpAfterMs?: number
  readonly turns?: readonly Turn[]
  /** The tone that it sends all the time, by which others recognize it; else it is silent. */
  readonly voice?: string
}

/** A task of docs/examples.md as both a simulation and real peers can play it. */
export interface Scenario {
  readonly name: string
  readonly documents: CallHandler
  /** Each begins once the one before it has had its turns. */
  readonly parties: readonly Party[]
  readonly callees?: Readonly<Record<string, Callee>>
  readonly users?: readonly { readonly email: string; readonly phone: Callee | null }[]
  readonly assets?: readonly string[]
}

const caller: Start = { by: 'caller', from: '+254722000001' }

export const scenarios: readonly Scenario[] = [
  {
    name: 'menu',
    documents: menu,
    callees: { '+254711000101': { hangsUpAfterMs: 2000 } },
    parties: [
      {
        start: caller,
        turns: [
          { hears: 'For sales press one, for our hours press two.', keys: '9' },
          { hears: 'That is not on the menu.' },
          { hears: 'For sales press one, for our hours press two.', keys: '1' },
        ],
      },
    ],
  },
  {
    name: 'voicemail',
    documents: voicemail,
    callees: { '+254711000201': 'rings' },
    parties: [{ start: caller, turns: [{ hears: 'beep', speaksMs: 3000, keys: '#' }] }],
  },
  {
    name: 'support-queue',
    documents: supportQueue,
    assets: ['hold-music'],
    callees: { '+254711000301': { hangsUpAfterMs: 6000 } },
    parties: [
      { start: caller, turns: [{ hears: 'hold-music' }], voice: 'room support' },
      { start: { by: 'api', to: '+254711000301', path: '/agent' }, voice: 'room support' },
    ],
  },
  {
    name: 'click-to-call',
    documents: clickToCall,
    callees: { '+254711000401': 'stays', '+254711000402': { hangsUpAfterMs: 3000 } },
    parties: [{ start: { by: 'api', to: '+254711000401', customPayload: '+254711000402' } }],
  },
  {
    name: 'forwarding',
    documents: forwarding,
    callees: { '+254711000501': 'rings', '+254711000502': { hangsUpAfterMs: 3000 } },
    parties: [{ start: caller }],
  },
  {
    name: 'masked-numbers',
    documents: maskedNumbers,
    callees: { '+254711000602': 'stays' },
    parties: [{ start: { by: 'caller', from: '+254711000601' }, hangsUpAfterMs: 3000 }],
  },
  {
    name: 'spoken-code',
    documents: spokenCode,
    callees: { '+254711000701': 'stays' },
    parties: [{ start: { by: 'api', to: '+254711000701', customPayload: '4711' } }],
  },
  {
    name: 'reminder',
    documents: reminder,
    callees: { '+254711000802': 'stays', '+254711000801': 'busy' },
    parties: [
      {
        start: { by: 'api', to: '+254711000802' },
        turns: [{ hears: 'You see the doctor', keys: '2' }],
      },
    ],
  },
  {
    name: 'recorded-call',
    documents: recordedCall,
    callees: { '+254711000901': { hangsUpAfterMs: 4000 } },
    parties: [{ start: caller, turns: [{ hears: 'If we may record this call press one.', keys: '1' }] }],
  },
  {
    name: 'dial-by-extension',
    documents: dialByExtension,
    users: [
      { email: 'in@example.com', phone: { hangsUpAfterMs: 2000 } },
      { email: 'out@example.com', phone: null },
    ],
    parties: [
      {
        start: caller,
        turns: [
          { hears: 'Please type the extension.', keys: '{1}' },
          { hears: 'Nobody answers there.' },
          { hears: 'Please type the extension.', keys: '{0}' },
        ],
      },
    ],
  },
  {
    name: 'browser-phone',
    documents: browserPhone,
    users: [{ email: 'desk@example.com', phone: 'stays' }],
    callees: { '+254711001101': 'stays' },
    parties: [{ start: { by: 'phone', user: 0, to: '+254711001101' }, hangsUpAfterMs: 3000 }],
  },
  {
    name: 'after-hours',
    documents: afterHours(() => new Date('2026-03-02T05:00:00+03:00')),
    parties: [{ start: caller }],
  },
]
