import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAddress } from '../../../rtp/address/address.ts'
import { isPrivateAddress } from '../../../rtp/address/network-range.ts'
import type { MediaSources } from '../../../rtp/contract/agreement.ts'
import type { SourceState } from '../../../rtp/contract/session-stats.ts'
import { KnownHosts, ranks } from '../../../rtp/receive/known-hosts.ts'
import { type SourceInput, sourceTable } from '../../../rtp/receive/source-states.ts'
import {
  continuationQuietMs,
  movingMs,
  packetsToLearn,
  SymmetricRtp,
  type Verdict,
} from '../../../rtp/receive/symmetric-rtp.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const at = (text: string): number => {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(text)
  return address
}
/** A phone behind a NAT: SDP names its private address, SIP comes from the NAT's. */
const signalled = at('192.168.1.7')
const sip = at('203.0.113.9')
const listed = at('198.51.100.20')
const unrelated = at('192.0.2.66')
const sources: MediaSources = { sip: '203.0.113.9', hosts: ['198.51.100.0/24'] }

/** A stream of one SSRC from one place. */
class Stream {
  readonly #gate: SymmetricRtp
  readonly address: number
  readonly port: number
  readonly ssrc: number
  sequence: number

  constructor(gate: SymmetricRtp, address: number, port: number, ssrc: number, sequence = 100) {
    this.#gate = gate
    this.address = address
    this.port = port
    this.ssrc = ssrc
    this.sequence = sequence
  }

  say(now: number): Verdict {
    return this.#gate.judge(this.address, this.port, this.ssrc, this.sequence++, now)
  }
}

const isTaken = (verdict: Verdict): boolean => verdict !== 'held' && verdict !== 'refused'
/** Time in which a stream has stopped. */
const later = 5000

/** Brings a gate into each state; its last accepted packet came at 0, of SSRC 1 with number 104. */
const inState = (state: SourceState): SymmetricRtp => {
  const gate = new SymmetricRtp()
  if (state !== 'closed') gate.signal(signalled, 4000, sources, 0)
  const speak = (address: number, port: number) => {
    for (let n = 0; n < packetsToLearn; n++) gate.judge(address, port, 1, 100 + n, 0)
  }
  switch (state) {
    case 'closed':
    case 'waiting':
      break
    case 'confirmed':
      speak(signalled, 4000)
      break
    case 'learned':
    case 'resumed':
      // By the network that is farthest from signalling, so that there is something better.
      speak(listed, 7000)
      if (state === 'resumed') gate.signal(signalled, 4000, sources, 0)
      break
  }
  assert.is(gate.state, state)
  return gate
}

/** A stream that is that input to a gate in that state. */
const asInput = (gate: SymmetricRtp, input: SourceInput): Stream | undefined => {
  const { isLearned } = gate
  switch (input) {
    case 'signalled':
      return new Stream(gate, signalled, 4000, 2)
    case 'current':
      return isLearned ? new Stream(gate, listed, 7000, 2) : undefined
    case 'previous':
      return undefined
    case 'continuation':
      return gate.state === 'confirmed' || isLearned
        ? new Stream(gate, isLearned ? listed : sip, 9000, 1, 105)
        : undefined
    case 'better':
      return isLearned ? new Stream(gate, sip, 9000, 2) : undefined
    case 'same-host':
      return isLearned ? new Stream(gate, listed, 9000, 2) : undefined
    case 'known':
      return isLearned ? new Stream(gate, at('198.51.100.21'), 9000, 2) : new Stream(gate, sip, 9000, 2)
    case 'unknown':
      return new Stream(gate, unrelated, 9000, 2)
  }
}

const states: readonly SourceState[] = ['closed', 'waiting', 'confirmed', 'learned', 'resumed']
const inputs: readonly SourceInput[] = [
  'signalled',
  'current',
  'previous',
  'continuation',
  'better',
  'same-host',
  'known',
  'unknown',
]

let tried = 0
for (const state of states) {
  for (const input of inputs) {
    const gate = inState(state)
    const stream = asInput(gate, input)
    if (stream === undefined || (state === 'closed' && input === 'signalled')) continue
    tried++
    const cell = sourceTable[state][input]
    test(`${state} × ${input}: ${cell === undefined ? 'refused' : `${cell[1]} → ${cell[0]}`}`, () => {
      const before = [gate.address, gate.port]
      const verdicts = Array.from({ length: packetsToLearn }, (_, n) => stream.say(later + n * 20))
      if (cell === undefined) {
        assert.ok(verdicts.every(verdict => verdict === 'refused'))
        assert.is(gate.state, state)
        assert.equal([gate.address, gate.port], before)
        return
      }
      const [next, action] = cell
      assert.is(gate.state, next)
      const isProbed = action === 'probe'
      assert.equal(
        verdicts.map(isTaken),
        verdicts.map((_, n) => !isProbed || n === packetsToLearn - 1),
      )
      if (action !== 'accept') assert.equal([gate.address, gate.port], [stream.address, stream.port])
      assert.ok(isTaken(stream.say(later + 200)))
    })
  }
}

test('every cell of the table is tried above, but for the one below', () => {
  const cells = states.flatMap(state => Object.keys(sourceTable[state]).map(input => `${state} ${input}`))
  const reached = states.flatMap(state =>
    inputs.filter(input => asInput(inState(state), input) !== undefined).map(input => `${state} ${input}`),
  )
  assert.equal(
    cells.filter(cell => !reached.includes(cell)),
    ['waiting previous'],
  )
  assert.is(tried, 23)
})

test('waiting × previous: a moving peer’s last packets are played, and never learned at once', () => {
  const gate = inState('learned')
  gate.signal(signalled, 4002, sources, 0)
  const old = new Stream(gate, listed, 7000, 1, 105)
  for (let now = 0; now < movingMs; now += 20) assert.is(old.say(now), 'accepted')
  assert.is(gate.state, 'waiting')
  assert.equal([gate.address, gate.port], [signalled, 4002], 'ours go where SDP says')
  const verdicts = Array.from({ length: packetsToLearn }, (_, n) => old.say(movingMs + n * 20))
  assert.is(verdicts.at(-1), 'learned', 'it did not move after all')
})

test('an unknown source has no effect in any state, whatever and for however long it sends', () => {
  const random = seeded(5)
  for (const state of states) {
    const gate = inState(state)
    const before = [gate.state, gate.address, gate.port]
    for (let n = 0; n < 5000; n++) {
      const ssrc = random() < 0.5 ? 1 : 2
      assert.is(gate.judge(unrelated, 9000 + (n % 3), ssrc, 105 + n, 10 * n), 'refused')
    }
    assert.equal([gate.state, gate.address, gate.port], before)
  }
})

test('silence of the signalled address opens nothing, for hours', () => {
  const gate = inState('confirmed')
  const other = new Stream(gate, sip, 9000, 2)
  for (let n = 0; n < 100; n++) assert.is(other.say(3_600_000 + n * 20), 'refused')
})

test('the same stream on a new port of its NAT goes on: a few packets are held, none is lost', () => {
  const gate = new SymmetricRtp()
  gate.signal(signalled, 4000, sources, 0)
  const phone = new Stream(gate, sip, 7000, 1)
  let now = 0
  for (; now < 1000; now += 20) phone.say(now)
  assert.is(gate.port, 7000)
  const rebound = new Stream(gate, sip, 7001, 1, phone.sequence)
  const verdicts = Array.from({ length: 30 }, (_, n) => rebound.say(now + n * 20))
  assert.is(verdicts.filter(verdict => verdict === 'learned').length, 1)
  assert.ok(verdicts.indexOf('learned') * 20 <= continuationQuietMs + packetsToLearn * 20)
  assert.is(gate.port, 7001)
})

test('another SSRC, or numbers that do not go on, are no continuation; nor is one of a stream that still speaks', () => {
  const gate = inState('confirmed')
  for (const [ssrc, sequence] of [
    [2, 105],
    [1, 101],
    [1, 50],
    [1, 40_000],
  ] as const) {
    const other = new Stream(gate, sip, 9000, ssrc, sequence)
    for (let n = 0; n < 3; n++) assert.is(other.say(later + n), 'refused', `${ssrc} ${sequence}`)
  }
  const real = new Stream(gate, signalled, 4000, 1, 105)
  const copy = new Stream(gate, sip, 9000, 1, 105)
  for (let n = 0; n < 100; n++) {
    real.say(later + n * 20)
    copy.sequence = real.sequence + 1
    assert.is(copy.say(later + n * 20 + 10), 'refused')
  }
})

test('an early source of the listed networks does not lock the phone out, nor does that lock out the signalled address', () => {
  const gate = inState('waiting')
  const early = new Stream(gate, listed, 666, 6)
  for (let n = 0; n < 10; n++) early.say(n * 20)
  assert.is(gate.address, listed)
  const phone = new Stream(gate, sip, 7000, 7)
  for (let n = 0; n < packetsToLearn; n++) {
    early.say(200 + n * 20)
    phone.say(210 + n * 20)
  }
  assert.is(gate.address, sip)
  assert.is(early.say(400), 'refused')
  assert.is(new Stream(gate, signalled, 4000, 8).say(500), 'returned')
  assert.is(phone.say(520), 'refused')
})

test('a rival of the same rank does not displace a candidate; a better one does', () => {
  const gate = inState('waiting')
  const first = new Stream(gate, listed, 1, 1)
  const rival = new Stream(gate, at('198.51.100.99'), 2, 2)
  for (let n = 0; n < packetsToLearn - 1; n++) {
    assert.is(first.say(n * 20), 'held')
    assert.is(rival.say(n * 20 + 1), 'refused')
  }
  assert.is(new Stream(gate, sip, 3, 3).say(80), 'held')
  assert.is(first.say(81), 'refused')
})

test('a candidate must send one stream: same source, same SSRC, numbers in a row', () => {
  const gate = inState('waiting')
  for (let n = 0; n < 40; n++) {
    assert.is.not(gate.judge(sip, 9, n, n, n), 'learned', 'another SSRC each time')
    assert.is.not(gate.judge(sip, 9, 7, n * 1000, n), 'learned', 'numbers that leap')
    assert.is.not(gate.judge(sip, 100 + n, 7, n, n), 'learned', 'another port each time')
  }
})

test('hold reopens nothing: the same address again, inactive or 0.0.0.0, leaves what was learned or confirmed', () => {
  for (const state of ['confirmed', 'learned'] as const) {
    const gate = inState(state)
    const source = [gate.address, gate.port]
    for (let n = 0; n < 3; n++) {
      gate.signal(0, 0, sources, 0)
      assert.equal([gate.address, gate.port], [0, 0], 'nothing is sent')
      gate.signal(signalled, 4000, sources, 0)
      assert.equal([gate.address, gate.port], source)
    }
    const rival = new Stream(gate, at('198.51.100.99'), 9000, 9)
    for (let n = 0; n < 50; n++) assert.is(rival.say(later + n * 20), 'refused')
  }
})

test('the address in the newest offer counts: the old one is an unknown source', () => {
  const gate = inState('confirmed')
  gate.signal(at('192.168.1.8'), 4000, { sip: '203.0.113.10', hosts: [] }, 0)
  assert.is(gate.state, 'waiting')
  assert.is(new Stream(gate, sip, 7000, 3).say(later), 'refused')
  assert.is(new Stream(gate, signalled, 4000, 1, 105).say(later), 'refused')
  assert.is(new Stream(gate, at('203.0.113.10'), 7000, 3).say(later), 'held')
})

test('who is known: the signalled host, the SIP peer, its network where all is public, the trunk’s media_hosts', () => {
  const hosts = new KnownHosts()
  hosts.signal(signalled, sources)
  assert.is(hosts.rankOf(signalled), ranks.signalled)
  assert.is(hosts.rankOf(sip), ranks.sip)
  assert.is(hosts.rankOf(sip + 1), ranks.unknown, 'SDP is private: only the NAT itself')
  assert.is(hosts.rankOf(listed), ranks.network)
  assert.is(hosts.rankOf(unrelated), ranks.unknown)
  hosts.signal(at('203.0.114.1'), { sip: '203.0.113.9', hosts: ['2001:db8::/32', 'nonsense'] })
  assert.is(hosts.rankOf(sip + 1), ranks.network)
  assert.is(hosts.rankOf(at('203.0.112.9')), ranks.unknown)
  assert.is(hosts.rankOf(listed), ranks.unknown)
  assert.equal([hosts.isParty(sip), hosts.isParty(sip + 1)], [true, false])
  hosts.signal(at('127.0.0.1'), { sip: '127.0.0.1', hosts: [] })
  assert.is(hosts.rankOf(at('127.0.0.2')), ranks.unknown)
  hosts.signal(unrelated, undefined)
  assert.equal([hosts.rankOf(0), hosts.isParty(unrelated)], [ranks.unknown, false])
  hosts.signal(unrelated, { sip: undefined, hosts: ['0.0.0.0/0'] })
  assert.is(hosts.rankOf(at('255.1.2.3')), ranks.network, 'everywhere, if an operator wants that')
})

test('private addresses, at the edges of their ranges', () => {
  for (const [address, isPrivate] of [
    ['10.255.255.255', true],
    ['11.0.0.0', false],
    ['172.15.255.255', false],
    ['172.16.0.0', true],
    ['172.31.255.255', true],
    ['172.32.0.0', false],
    ['192.168.0.0', true],
    ['192.169.0.0', false],
    ['100.64.0.0', true],
    ['100.128.0.0', false],
    ['169.254.9.9', true],
    ['127.0.0.53', true],
    ['8.8.8.8', false],
  ] as const)
    assert.is(isPrivateAddress(at(address)), isPrivate, address)
})

test.run()
