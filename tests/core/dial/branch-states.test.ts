import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type BranchInput, branchTable, isBranchOver } from '../../../core/dial/branch-states.ts'
import { BranchBed, type BranchBedInput, branchInputs } from '../bed/branch-bed.ts'

test('a branch from its turn to its end: every cell', () => {
  const inputs: readonly BranchInput[] = [
    'queue',
    'place',
    'placed',
    'refused',
    'accepted',
    'agreed',
    'fail-over',
    'end',
    'stop',
  ]
  const cells = Object.entries(branchTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input] ?? '-')].join(' '),
  )
  assert.equal(cells, [
    'new waiting placing - - - - - over stopped',
    'waiting - placing - - - - - over stopped',
    'placing - - trying new - - - withdrawn stopped',
    'trying - - - - agreeing - new over stopped',
    'agreeing - - - - - answered - over stopped',
    'answered - - - - - - - over stopped',
    'withdrawn - - over over - - - - -',
    'stopped - - - - - - - - -',
    'over - - - - - - - - -',
  ])
})

test('what is over stays over', () => {
  for (const [state, row] of Object.entries(branchTable) as [
    keyof typeof isBranchOver,
    Record<string, keyof typeof isBranchOver>,
  ][])
    if (isBranchOver[state]) for (const next of Object.values(row)) assert.ok(isBranchOver[next], state)
})

const tried: readonly BranchBedInput[] = ['start', 'turn', 'placed', 'opened']
const withdrawn: readonly BranchBedInput[] = ['start', 'turn', 'cancel']
const ways: Readonly<Record<string, readonly BranchBedInput[]>> = {
  new: [],
  waiting: ['start'],
  placing: ['start', 'turn'],
  trying: tried,
  agreeing: [...tried, 'answer'],
  answered: [...tried, 'answer', 'ready'],
  withdrawn,
  stopped: [...tried, 'stop'],
  over: [...tried, 'cancel'],
}

type Row = Readonly<Partial<Record<BranchBedInput, string>>>

/**
 * Of a child of a Dial with two trunks: what it commands (`+one`: takes a place of the first trunk), commits and
 * reports (`>`), by state and input. What a row does not name is absorbed.
 */
const dialled: Readonly<Record<string, Row>> = {
  'new': {
    cancel: 'commit(DIAL.0100,DIAL.0400) >over >released',
  },
  waiting: {
    turn: '+one commit(leg.insert,hold.open,DIAL.0100)',
    cancel: '-turn -place commit(DIAL.0100,DIAL.0400) >over >released',
    stop: '-turn -place',
  },
  placing: {
    placed: 'admitted:placed media.open',
    refused: 'admitted:refused -one -place commit(DIAL.0100,DIAL.0400) >over >released',
    'media failed': '-one -place >over >released',
    cancel: '-one -place >over >released',
    stop: '-one -place',
  },
  trying: {
    '486': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over >released',
    '503': 'media.close -one commit(leg.update,hold.settle) >retrying',
    ringing: 'commit(DIAL.0180) >ringing',
    early: 'media.answered',
    answer: 'media.answered',
    ready: '>early',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    cancel: '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    stop: '-one leg.end media.close',
  },
  agreeing: {
    '486':
      'commit(leg.update,DIAL.0200) >answered -one media.close -place commit(leg.update,hold.settle,BILL.0200,DIAL.0300) >over >released',
    '503':
      'commit(leg.update,DIAL.0200) >answered -one media.close -place commit(leg.update,hold.settle,BILL.0200,DIAL.0300) >over >released',
    ready: 'commit(leg.update,DIAL.0200) >answered >ready',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    cancel: '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    stop: '-one leg.end media.close',
  },
  answered: {
    '486': '-one media.close -place commit(leg.update,hold.settle,BILL.0200,DIAL.0300) >over >released',
    '503': '-one media.close -place commit(leg.update,hold.settle,BILL.0200,DIAL.0300) >over >released',
    ready: '>ready',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0300) >over',
    cancel: '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0300) >over',
    stop: '-one leg.end media.close',
  },
  withdrawn: {
    placed: 'admitted:placed commit(leg.update,hold.settle,DIAL.0400)',
    refused: 'admitted:refused commit(DIAL.0100,DIAL.0400)',
  },
  stopped: {
    '486': '-place >released',
    '503': '-place >released',
    'last unit': 'last(leg.update,hold.settle,DIAL.0400)',
  },
  over: {
    '486': '-place >released',
    '503': '-place >released',
  },
}

/** Of the leg of a placed call, which waits for no turn, and whose rows the call's last unit closes. */
const placed: Readonly<Record<string, Row>> = {
  'new': {
    start: '+one commit(leg.insert,hold.open)',
    cancel: '>over >released',
  },
  placing: {
    placed: 'admitted:placed media.open',
    refused: 'admitted:refused -one >over >released',
    'media failed': '-one >over >released',
    cancel: '-one >over >released',
    stop: '-one',
  },
  trying: {
    '486': '-one media.close >over >released',
    '503': 'media.close -one commit(leg.update,hold.settle) >retrying +two commit(leg.insert,hold.open)',
    ringing: '>ringing',
    early: 'media.answered',
    answer: 'media.answered',
    ready: '>early',
    'media failed': '-one leg.end media.close >over',
    cancel: '-one leg.end media.close >over',
    stop: '-one leg.end media.close',
  },
  agreeing: {
    '486': 'commit(leg.update) >answered -one media.close >over >released',
    '503': 'commit(leg.update) >answered -one media.close >over >released',
    ready: 'commit(leg.update) >answered >ready',
    'media failed': '-one leg.end media.close >over',
    cancel: '-one leg.end media.close >over',
    stop: '-one leg.end media.close',
  },
  answered: {
    '486': '-one media.close >over >released',
    '503': '-one media.close >over >released',
    ready: '>ready',
    'media failed': '-one leg.end media.close >over',
    cancel: '-one leg.end media.close >over',
    stop: '-one leg.end media.close',
  },
  stopped: {
    '486': '>released',
    '503': '>released',
    'last unit': 'last(leg.update,hold.settle)',
  },
}

for (const [isDial, rows] of [
  [true, dialled],
  [false, placed],
] as const) {
  for (const [state, row] of Object.entries(rows)) {
    test(`${isDial ? 'a child of a Dial' : 'a placed leg'}, ${state}: every input does what its cell says`, () => {
      for (const input of branchInputs) {
        // It is started once.
        if (input === 'start' && state !== 'new') continue
        const bed = new BranchBed(isDial)
        for (const step of ways[state] ?? []) if (isDial || step !== 'turn') bed.give(step)
        assert.is(bed.give(input), row[input] ?? '', `${state} + ${input}`)
      }
    })
  }
}

test('withdrawn while its rows were on their way: they are closed once they exist, or were never written', () => {
  for (const result of ['placed', 'refused'] as const) {
    const bed = new BranchBed(true)
    for (const step of withdrawn) bed.give(step)
    assert.match(bed.give(result), /commit\(.*DIAL\.0400\)$/)
    assert.ok(bed.branch.isReleased)
    assert.is(bed.give('last unit'), '', 'nothing twice')
  }
})

test('the next trunk after 503: a new turn, a new leg, and its ringing is not written twice', () => {
  const bed = new BranchBed(true)
  for (const step of tried) bed.give(step)
  assert.is(bed.give('ringing'), 'commit(DIAL.0180) >ringing')
  bed.give('503')
  // The first leg's row no longer names the Dial.
  assert.is(bed.give('turn'), '+two commit(leg.insert,leg.update,hold.open)')
  // The unit that closed the first leg, then the one that begins the second.
  for (const step of ['placed', 'placed', 'placed', 'opened'] as const) bed.give(step)
  assert.is(bed.give('ringing'), '>ringing')
  assert.match(bed.give('503'), /^-two .*DIAL\.0400\) >over >released$/, 'there is no third')
})

test.run()
