import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type OutgoingInput,
  type OutgoingState,
  outgoingTable,
} from '../../../../sip/endpoint/calls/outgoing-states.ts'
import { headerOf } from '../../../../sip/message/headers.ts'
import { reason, them, us } from '../../bed/dialog-bed.ts'
import { ScriptedPeer } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

/** What can happen to a call that we dial. `200 fork`: of another fork; `200 bare`: without an answer. */
const givens = [
  'end',
  'lost',
  'silence',
  'long silence',
  '100',
  '180',
  '183',
  '200',
  '200 bare',
  '200 fork',
  '401',
  '421',
  '486',
  'UPDATE',
  'BYE',
] as const
type Given = (typeof givens)[number]

/** ms. A connection that closes is waited for before its calls are lost (RFC 5626 §4.4). */
const durations: Readonly<Partial<Record<Given | 'resolved', number>>> = {
  lost: 11_000,
  silence: 8_100,
  'long silence': 33_000,
}

const flow = { transport: 'tcp', address: them, port: 5060, socket: 1, localHost: us, localPort: 5060 } as const

/** A call to a peer of which the test writes every message. */
class DialledBed {
  readonly #net = new VirtualNetwork(5, { transport: 'tcp' })
  readonly #station = this.#net.station(us)
  readonly #peer = new ScriptedPeer(this.#net, them)
  #cseq = 0

  constructor() {
    const hop = { host: them, port: undefined, transport: 'tcp' } as const
    const target = { uri: `sip:+254700000001@${them}`, hop, username: 'u', password: 'p' }
    this.#station.do({ type: 'dial', id: 'out', target, from: { user: '1001' }, sdp: 'our offer' })
  }

  /** What goes out and up, copies left out. */
  give(given: Given | 'resolved'): string {
    const seen = new Set(this.#sent())
    const events = this.#station.events.length
    this.#give(given)
    this.#net.run(durations[given] ?? 50)
    const sent = [...new Set(this.#sent())].filter(one => !seen.has(one)).map(one => one.split('|')[0] ?? '')
    const up = this.#station.events.slice(events).map(event => {
      if (event.type !== 'ended') return `>${event.type}`
      const { cause } = event
      return `>ended(${cause.kind === 'response' ? cause.status : cause.kind})`
    })
    return [...sent, ...up].join(' ')
  }

  #give(given: Given | 'resolved'): void {
    const peer = this.#peer
    switch (given) {
      case 'resolved':
      case 'silence':
      case 'long silence':
        return
      case 'end':
        this.#station.do({ type: 'end', id: 'out', reason })
        return
      case 'lost':
        this.#station.do({ type: 'flow-closed', flow })
        return
      case 'UPDATE':
      case 'BYE': {
        const invite = this.#invite()
        const from = /tag=([^;>]+)/.exec(invite === undefined ? '' : (headerOf(invite, 'From') ?? ''))?.[1] ?? ''
        const callId = invite === undefined ? 'none' : (headerOf(invite, 'Call-ID') ?? '')
        peer.request(given, us, ++this.#cseq, { callId, fromTag: 'x', toTag: from })
        return
      }
      default: {
        const invite = this.#invite()
        if (invite === undefined) return
        const [status, what] = given.split(' ')
        const toTag = what === 'fork' ? 'y' : 'x'
        const body = (given === '200' || given === '200 fork' || given === '183') && { body: 'answer' }
        const headers =
          given === '401'
            ? ['WWW-Authenticate: Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth"']
            : given === '421'
              ? ['Require: 100rel']
              : []
        peer.respond(us, invite, Number(status), { ...(given === '100' ? {} : { toTag }), ...body, headers })
      }
    }
  }

  #invite() {
    return this.#peer.methods.includes('INVITE') ? this.#peer.lastRequest('INVITE') : undefined
  }

  /** Each message once: its kind, then what distinguishes it from others. */
  #sent(): string[] {
    return this.#peer.received.map(({ message }) => {
      const what = message.kind === 'request' ? message.method : String(message.status)
      return `${what}|${headerOf(message, 'CSeq')}|${headerOf(message, 'To')}|${message.kind}`
    })
  }
}

test('a call that we dial: every cell', () => {
  const inputs: readonly OutgoingInput[] = ['invite', 'end', '1xx', '2xx', 'timeout', 'fail']
  const cells = Object.entries(outgoingTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input]?.[0] ?? '-')].join(' '),
  )
  assert.equal(cells, [
    'resolving calling over - - - over',
    'calling calling abandoned proceeding answered given-up over',
    'abandoned - - cancelling answered given-up over',
    'proceeding calling cancelling proceeding answered - over',
    'cancelling - - - answered over over',
    'answered - answered - answered - over',
    'given-up - - over given-up - -',
    'over - - - over - -',
  ])
})

test('an end is reported once: by every cell that is the first to say so, and by no other', () => {
  const isOver = (state: string) => state === 'over' || state === 'given-up'
  for (const [state, row] of Object.entries(outgoingTable))
    for (const [next, ...actions] of Object.values(row))
      assert.is(actions.includes('report-end'), isOver(next) && !isOver(state), `${state} ${next}`)
})

const ways: Readonly<Record<OutgoingState, readonly (Given | 'resolved')[]>> = {
  resolving: [],
  calling: ['resolved'],
  abandoned: ['resolved', 'end'],
  proceeding: ['resolved', '183'],
  cancelling: ['resolved', '180', 'end'],
  answered: ['resolved', '200'],
  'given-up': ['resolved', 'silence'],
  over: ['resolved', '486'],
}

/** What goes out, and what goes up (`>`). What a row does not name is absorbed. In `resolving` the address comes after it. */
const expected: Readonly<Record<OutgoingState, Readonly<Partial<Record<Given, string>>>>> = {
  resolving: {
    '100': 'INVITE',
    '180': 'INVITE',
    '183': 'INVITE',
    '200': 'INVITE',
    '401': 'INVITE',
    '421': 'INVITE',
    '486': 'INVITE',
    end: '>ended(487)',
    lost: 'INVITE >ended(timeout)',
    silence: 'INVITE >ended(timeout)',
    'long silence': 'INVITE >ended(timeout)',
    '200 bare': 'INVITE',
    '200 fork': 'INVITE',
    UPDATE: 'INVITE',
    BYE: 'INVITE',
  },
  calling: {
    '180': '>ringing',
    '183': '>early',
    '200': 'ACK >answered',
    '401': 'ACK INVITE',
    '421': 'ACK INVITE',
    '486': 'ACK >ended(486)',
    lost: '>ended(timeout)',
    silence: '>ended(timeout)',
    'long silence': '>ended(timeout)',
    '200 bare': 'ACK BYE',
    '200 fork': 'ACK >answered',
    UPDATE: '481',
    BYE: '481',
  },
  abandoned: {
    '100': 'CANCEL',
    '180': 'CANCEL',
    '183': 'CANCEL',
    '200': 'ACK BYE',
    '401': 'ACK >ended(401)',
    '421': 'ACK >ended(421)',
    '486': 'ACK >ended(486)',
    lost: '>ended(timeout)',
    silence: '>ended(timeout)',
    'long silence': '>ended(timeout)',
    '200 bare': 'ACK BYE',
    '200 fork': 'ACK BYE',
    UPDATE: '481',
    BYE: '481',
  },
  proceeding: {
    '180': '>ringing',
    '183': '>early',
    '200': 'ACK >answered',
    '401': 'ACK INVITE',
    '421': 'ACK INVITE',
    '486': 'ACK >ended(486)',
    end: 'CANCEL',
    lost: '>ended(unreachable)',
    '200 bare': 'ACK >answered',
    '200 fork': 'ACK >answered',
    UPDATE: '200',
    BYE: '481',
  },
  cancelling: {
    '200': 'ACK BYE',
    '401': 'ACK >ended(401)',
    '421': 'ACK >ended(421)',
    '486': 'ACK >ended(486)',
    lost: '>ended(unreachable)',
    'long silence': '>ended(timeout)',
    '200 bare': 'ACK BYE',
    '200 fork': 'ACK BYE',
    UPDATE: '481',
    BYE: '481',
  },
  answered: {
    end: 'BYE',
    '200 fork': 'ACK BYE',
    UPDATE: '200',
    BYE: '200 >ended(bye)',
  },
  'given-up': {
    '100': 'CANCEL',
    '180': 'CANCEL',
    '183': 'CANCEL',
    '200': 'ACK BYE',
    '401': 'ACK',
    '421': 'ACK',
    '486': 'ACK',
    '200 bare': 'ACK BYE',
    '200 fork': 'ACK BYE',
  },
  over: {},
}

for (const [state, way] of Object.entries(ways) as [OutgoingState, readonly (Given | 'resolved')[]][]) {
  test(`a call that we dial, ${state}: everything that can happen does what its cell says`, () => {
    for (const given of givens) {
      const bed = new DialledBed()
      for (const step of way) bed.give(step)
      assert.is(bed.give(given), expected[state][given] ?? '', `${state} + ${given}`)
    }
  })
}

test('given up before its CANCEL could go out: it goes out with the first response, once', () => {
  const bed = new DialledBed()
  for (const step of ['resolved', 'end', 'silence'] as const) bed.give(step)
  assert.is(bed.give('180'), 'CANCEL')
  assert.is(bed.give('183'), '')
  assert.is(bed.give('200'), 'ACK BYE')
})

test.run()
