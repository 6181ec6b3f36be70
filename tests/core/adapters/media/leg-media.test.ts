import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LegMedia } from '../../../../core/adapters/media/leg-media.ts'
import {
  type LegMediaInput,
  type LegMediaState,
  legMediaTable,
} from '../../../../core/adapters/media/leg-media-states.ts'
import { addressIn, readSdp } from '../../../../core/adapters/media/leg-sdp.ts'
import type { MediaCommand, MediaEvent } from '../../../../core/ports/media.ts'
import { noStats } from '../../../../rtp/worker/index.ts'
import { callId, leg, sdp } from '../../bed/media-bed.ts'

const inputs: readonly LegMediaInput[] = [
  'order',
  'close',
  'unreadable',
  'offer',
  'answer',
  'refuse',
  'taken',
  'answer-again',
  'unusable',
  'no-ports',
  'fault',
  'ended',
]

test('a leg’s media from its offer to its end: every cell', () => {
  const rows = Object.entries(legMediaTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input]?.[0] ?? '-')].join(' '),
  )
  assert.equal(rows, [
    'opening opening closing failed offered agreed failed - - - failed closing closed',
    'offered offered closing - - - - agreed agreed offered - closing closed',
    'agreed agreed closing - - - - agreed agreed agreed - closing closed',
    'closing closing - - - - - - - - closed - closed',
    'failed failed closed - - - - - - - - - -',
    'closed closed - - - - - - - - - - -',
  ])
})

test('a failure is reported and an order carried out before the end alone, and an order always ends', () => {
  for (const [state, row] of Object.entries(legMediaTable) as [
    LegMediaState,
    (typeof legMediaTable)[LegMediaState],
  ][]) {
    const isLive = state === 'opening' || state === 'offered' || state === 'agreed'
    assert.ok(row.order !== undefined, state)
    assert.is(row.order[1] === 'end-order', !isLive, state)
    for (const [input, [next, ...actions]] of Object.entries(row)) {
      const cell = `${state} ${input}`
      if (actions.includes('report-failed')) assert.ok(isLive, cell)
      if (next === 'closed' && state !== 'closed') {
        assert.ok(actions.includes('report-closed') || actions.includes('report-closed-unopened'), cell)
      }
      if (next === 'failed' && state !== 'failed') assert.ok(actions.includes('end-orders'), cell)
    }
  }
})

const a = leg('a')
const play: MediaCommand = {
  type: 'media.play',
  legId: a,
  playId: 'p',
  source: { kind: 'tone', tone: 'beep' },
  loop: 1,
}
const record: MediaCommand = {
  type: 'media.record',
  legId: a,
  recordId: 'r',
  path: '/recordings/r.wav',
  limits: { silenceMs: 0, maxLengthMs: 1000, trimSilence: false },
}
const digits: MediaCommand = { type: 'media.send-digits', legId: a, digitsId: 'd', digits: '7' }
const bridge: MediaCommand = { type: 'media.bridge', legId: a, otherLegId: leg('b') }

/** All that can happen to a leg. */
const happenings = {
  play: media => media.order(play),
  record: media => media.order(record),
  digits: media => media.order(digits),
  bridge: media => media.order(bridge),
  'good answer': media => media.order({ type: 'media.answered', legId: a, sdp: sdp(5000) }),
  'bad answer': media => media.order({ type: 'media.answered', legId: a, sdp: 'rubbish' }),
  'new offer': media => media.order({ type: 'media.reoffer', legId: a, offer: sdp(5002) }),
  'preferred codec': media => media.order({ type: 'media.reoffer', legId: a, offer: sdp(5002), prefer: 'PCMU' }),
  'bad offer': media => media.order({ type: 'media.reoffer', legId: a, offer: 'rubbish' }),
  'no offer': media => media.order({ type: 'media.reoffer', legId: a }),
  close: media => media.close(),
  unreadable: media => media.unreadable(),
  bound: media => media.bound(20_000, 7),
  placed: media => media.placed(20_002),
  'no ports': media => media.noPorts('every media port is in use'),
  fault: media => media.faulted('a fault'),
  played: media => media.orderEnded({ type: 'played', session: a, play: 'p', completed: true }),
  'failed recording': media =>
    media.orderEnded({
      type: 'recorded',
      session: a,
      recording: 'r',
      durationMs: 0,
      sizeBytes: 684,
      endedBy: 'failed',
    }),
  recorded: media =>
    media.orderEnded({
      type: 'recorded',
      session: a,
      recording: 'r',
      durationMs: 20,
      sizeBytes: 364,
      endedBy: 'closed',
    }),
  digit: media => media.remoteNews({ type: 'digit', session: a, digit: '5', durationMs: 80 }),
  ended: media => media.ended(noStats),
} as const satisfies Record<string, (media: LegMedia) => void>
type Happening = keyof typeof happenings

/** A leg, and what it does: `+x` a command to the engine, `>x` an event, `!x` a failure that is counted. */
class Bed {
  readonly media: LegMedia
  readonly #done: string[] = []

  /** `offer` undefined: we make one. */
  constructor(offer: string | undefined, isShared = false) {
    const read = offer === undefined ? undefined : readSdp(offer)
    this.media = new LegMedia(
      {
        threads: { execute: command => this.#done.push(`+${command.type}`) },
        events: { add: event => this.#done.push(`>${wordOf(event)}`) },
        opened: () => this.#done.push('opened'),
        failed: (_leg, { fault }) => this.#done.push(`!${fault}`),
        ignored: () => this.#done.push('ignored'),
        closed: (_leg, stats) => this.#done.push(stats === undefined ? 'unmeasured' : 'measured'),
        measureRecording: () => ({ durationMs: 40, sizeBytes: 684 }),
      },
      { legId: a, callId },
      {
        offer: read,
        address: (read && addressIn(read)) ?? '127.0.0.1',
        sessionId: '1',
        codecs: [],
        prefer: [],
        keys: undefined,
        isShared,
      },
      undefined,
      { sip: undefined, hosts: [] },
    )
  }

  /** What it does at the happening, in order; empty when it is absorbed. */
  give(happening: Happening): string {
    this.#done.length = 0
    happenings[happening](this.media)
    return this.#done.join(' ')
  }
}

const wordOf = (event: MediaEvent): string => {
  const { type } = event
  const word = type.slice('media.'.length)
  if (event.type === 'media.failed') return `${word}(${event.fault}${event.reoffer ? ' reoffer' : ''})`
  if (event.type === 'media.played') return `${word}(${event.completed})`
  if (event.type === 'media.recorded') return `${word}(${event.durationMs} ${event.endedBy})`
  return word
}

const unanswerable = sdp(4000).replace('RTP/AVP 0 ', 'RTP/AVP 18 ')
const ways: Readonly<Record<string, readonly [offer: string | undefined, ...Happening[]]>> = {
  opening: [sdp(4000)],
  'opening, to offer': [undefined],
  'opening, to refuse': [unanswerable],
  'opening, with orders': [sdp(4000), 'play', 'record', 'digits', 'bridge', 'new offer'],
  offered: [undefined, 'bound'],
  agreed: [undefined, 'bound', 'good answer'],
  'agreed, with orders': [sdp(4000), 'bound', 'play', 'record', 'digits'],
  'closing before it was open': [sdp(4000), 'play', 'close'],
  closing: [sdp(4000), 'bound', 'play', 'close'],
  'closing by a fault': [sdp(4000), 'bound', 'play', 'fault'],
  failed: [unanswerable, 'bound'],
  closed: [sdp(4000), 'bound', 'close', 'ended'],
}

type Row = Readonly<Partial<Record<Happening, string>>>

/** What an order that comes too late ends with. */
const late: Row = { play: '>played(false)', record: '>recorded(0 failed)', digits: '>digits-sent' }
const digit: Row = { digit: '>digit' }
const live: Row = { ...digit, fault: '!internal >failed(internal)', ended: 'measured >closed' }
const opening: Row = {
  ...live,
  close: '+close',
  unreadable: '!bad-sdp >failed(bad-sdp)',
  'no ports': '!no-ports >failed(no-ports)',
}
const open: Row = {
  ...live,
  close: '+close',
  play: '+play',
  record: '+record',
  digits: '+send-digits',
  bridge: '+bridge',
  'good answer': '+agree >ready',
  'new offer': '+agree >reopened >ready',
  'preferred codec': '+agree >reopened >ready',
  'bad offer': '>failed(bad-sdp reoffer)',
  'no offer': '>reopened',
}
const endOfAll = '>played(false) >recorded(40 failed) >digits-sent'
const unbegun = '>played(false) >recorded(0 failed) >digits-sent'

/** What a row does not name is absorbed. */
const rows: Readonly<Record<keyof typeof ways, Row>> = {
  opening: { ...opening, bound: '+agree opened >opened >ready' },
  'opening, to offer': { ...opening, bound: 'opened >opened' },
  'opening, to refuse': { ...opening, bound: '+close !no-common-codec >failed(no-common-codec)' },
  'opening, with orders': {
    ...opening,
    played: '>played(true)',
    'failed recording': '>recorded(40 failed)',
    recorded: '>recorded(20 closed)',
    bound: '+agree opened >opened >ready +play +record +send-digits +bridge +agree >reopened >ready',
    close: '+play +record +send-digits +bridge +close',
    unreadable: `!bad-sdp >failed(bad-sdp) ${unbegun}`,
    'no ports': `!no-ports >failed(no-ports) ${unbegun}`,
    ended: `${unbegun} measured >closed`,
  },
  // A first answer that cannot be used does not end the leg by itself: the domain decides.
  offered: { ...open, 'bad answer': '!bad-sdp >failed(bad-sdp)' },
  agreed: { ...open, 'bad answer': 'ignored' },
  'agreed, with orders': {
    ...open,
    // Nothing was offered.
    'good answer': 'ignored',
    'bad answer': 'ignored',
    played: '>played(true)',
    'failed recording': '>recorded(40 failed)',
    recorded: '>recorded(20 closed)',
    ended: `${endOfAll} measured >closed`,
  },
  'closing before it was open': {
    ...late,
    ...digit,
    played: '>played(true)',
    'no ports': '>played(false) measured >closed',
    ended: '>played(false) measured >closed',
  },
  closing: {
    ...late,
    ...digit,
    played: '>played(true)',
    'no ports': '>played(false) measured >closed',
    ended: '>played(false) measured >closed',
  },
  'closing by a fault': {
    ...late,
    ...digit,
    played: '>played(true)',
    'no ports': '>played(false) measured >closed',
    ended: '>played(false) measured >closed',
  },
  failed: { ...late, ...digit, close: 'unmeasured >closed' },
  closed: { ...late, ...digit },
}

for (const [state, [offer, ...way]] of Object.entries(ways)) {
  test(`what a leg does, ${state}: at everything that can happen`, () => {
    const found: Partial<Record<Happening, string>> = {}
    for (const happening of Object.keys(happenings) as Happening[]) {
      const bed = new Bed(offer)
      for (const step of way) bed.give(step)
      const done = bed.give(happening)
      if (done !== '') found[happening] = done
    }
    const sorted = (row: Row) => Object.fromEntries(Object.entries(row).sort())
    assert.equal(sorted(found), sorted(rows[state] ?? {}))
  })
}

test('on a shared port each later offer waits for its port; an answer, or another codec for the first offer, does not', () => {
  const bed = new Bed(sdp(4000), true)
  assert.is(bed.give('bound'), '+agree opened >opened >ready')
  assert.is(bed.give('new offer'), '+place')
  assert.is(bed.give('play'), '+play')
  assert.is(bed.give('placed'), '+agree >reopened >ready')
  assert.is(bed.give('placed'), '')
  assert.is(bed.give('no offer'), '+place')
  assert.is(bed.give('placed'), '>reopened')
  assert.is(bed.give('good answer'), '+agree >ready')
  assert.is(bed.give('bad offer'), '+place')
  assert.is(bed.give('placed'), '>failed(bad-sdp reoffer)')
  assert.is(bed.give('preferred codec'), '+agree >reopened >ready')
  bed.give('new offer')
  assert.is(bed.give('close'), '+close')
  assert.is(bed.give('placed'), '', 'it comes too late')
})

test('an order ends once, whatever is reported of it later', () => {
  const bed = new Bed(sdp(4000))
  for (const happening of ['play', 'record', 'bound'] as const) bed.give(happening)
  assert.is(bed.give('played'), '>played(true)')
  assert.is(bed.give('played'), '')
  assert.equal([bed.media.dump(undefined).plays, bed.media.dump(undefined).recordings], [0, 1])
  assert.is(bed.give('ended'), '>recorded(40 failed) measured >closed')
  assert.is(bed.give('recorded'), '')
  assert.is(bed.media.dump(undefined).recordings, 0)
})

test('a recording whose disk refused more has the length of what its file holds', () => {
  const bed = new Bed(sdp(4000))
  for (const happening of ['record', 'bound'] as const) bed.give(happening)
  assert.is(bed.give('failed recording'), '>recorded(40 failed)')
})

test.run()
