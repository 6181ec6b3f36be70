import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CallerInput, callerTable } from '../../../core/call/caller-states.ts'
import { CallerBed, type CallerBedInput, callerInputs } from '../bed/caller-bed.ts'

test('a caller until it rings: every cell', () => {
  const inputs: readonly CallerInput[] = ['unknown', 'refuse', 'admit', 'stored', 'cannot-pay', 'ended']
  const cells = Object.entries(callerTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input]?.[0] ?? '-')].join(' '),
  )
  assert.equal(cells, [
    'looking-up over storing-refusal storing - - over',
    'storing - - - admitted storing-refusal withdrawn',
    'storing-refusal - - - over over withdrawn',
    'admitted - - - - - over',
    'withdrawn - - - over over -',
    'over - - - - - -',
  ])
})

test('nothing rings and no document starts before the rows are durable, and once only', () => {
  const rings = Object.entries(callerTable).flatMap(([state, row]) =>
    Object.entries(row).flatMap(([input, [, ...actions]]) =>
      actions.includes('ring') || actions.includes('start-document') ? [`${state} ${input}: ${actions.join(' ')}`] : [],
    ),
  )
  assert.equal(rings, ['storing stored: open ring start-document'])
})

/** How a caller gets there: of a phone or of a trunk, then what happens. */
const ways: Readonly<Record<string, readonly [isPhone: boolean, ...CallerBedInput[]]>> = {
  'of a trunk, looked up': [false],
  'of a trunk, storing': [false, 'found'],
  'of a trunk, storing its refusal': [false, 'suspended'],
  'of a trunk, who cannot pay, storing': [false, 'found', 'no funds'],
  'of a trunk, admitted': [false, 'found', 'stored'],
  'of a trunk, withdrawn': [false, 'found', 'hang up'],
  'of a trunk, over': [false, 'suspended', 'stored'],
  'of a phone, looked up': [true],
  'of a phone, storing': [true, 'found'],
  'of a phone, storing its refusal': [true, 'suspended'],
  'of a phone, admitted': [true, 'found', 'stored'],
  'of a phone, withdrawn': [true, 'found', 'hang up'],
}
type Row = Readonly<Partial<Record<CallerBedInput, string>>>
/** What is commanded. What a row does not name is absorbed. The last commit of a call is no longer its caller's. */
const expected: Readonly<Record<string, Row>> = {
  'of a trunk, looked up': {
    found: 'commit(call.insert,leg.insert,CALL.0100,hold.open,call.update,CALL.0180)',
    nobody: 'leg.end(END.0404)',
    suspended: 'commit(call.insert,leg.insert,CALL.0100)',
    'lookup fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a trunk, storing': {
    stored: 'leg.ring document.fetch',
    'no funds': 'commit(call.insert,leg.insert,CALL.0100)',
    'commit fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a trunk, storing its refusal': {
    stored: 'leg.end(END.4403) commit(leg.update,call.update,CALL.0400)',
    'no funds': 'leg.end(END.4403)',
    'commit fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a trunk, who cannot pay, storing': {
    stored: 'leg.end(END.0402) commit(leg.update,call.update,CALL.0400)',
    'no funds': 'leg.end(END.0402)',
    'commit fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a trunk, admitted': {
    'hang up': 'document.abandon commit(leg.update,hold.settle,call.update,CALL.0400)',
    drain: 'document.abandon leg.end(END.5503) commit(leg.update,hold.settle,call.update,CALL.0400)',
  },
  'of a trunk, withdrawn': {
    stored: 'commit(leg.update,hold.settle,call.update,CALL.0400)',
    'commit fails': 'log',
  },
  'of a trunk, over': {
    stored: 'call.over',
    'no funds': 'call.over',
    'commit fails': 'log',
  },
  'of a phone, looked up': {
    found: 'commit(call.insert,leg.insert,CALL.0100,call.update,CALL.0180)',
    nobody: 'leg.end(END.0403)',
    suspended: 'commit(call.insert,leg.insert,CALL.0100)',
    'lookup fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a phone, storing': {
    stored: 'leg.ring document.fetch',
    'no funds': 'commit(call.insert,leg.insert,CALL.0100)',
    'commit fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a phone, storing its refusal': {
    stored: 'leg.end(END.4403) commit(leg.update,call.update,CALL.0400)',
    'no funds': 'leg.end(END.4403)',
    'commit fails': 'log leg.end(END.5500)',
    drain: 'leg.end(END.5503)',
  },
  'of a phone, admitted': {
    'hang up': 'document.abandon commit(leg.update,call.update,CALL.0400)',
    drain: 'document.abandon leg.end(END.5503) commit(leg.update,call.update,CALL.0400)',
  },
  'of a phone, withdrawn': {
    stored: 'commit(leg.update,call.update,CALL.0400)',
    'commit fails': 'log',
  },
}

for (const [state, [isPhone, ...way]] of Object.entries(ways)) {
  test(`a caller, ${state}: every input does what its cell says`, () => {
    for (const input of callerInputs) {
      const bed = new CallerBed(isPhone)
      for (const step of way) bed.give(step)
      assert.is(bed.give(input), expected[state]?.[input] ?? '', `${state} + ${input}`)
    }
  })
}

test('a document that the switch hosts is read while the rows are stored, and what it does waits for them', () => {
  for (const isPhone of [false, true]) {
    const bed = new CallerBed(isPhone, true)
    assert.ok(bed.give('found').endsWith(' document.fetch'))
    assert.is(bed.give('stored'), 'leg.ring')
  }
  const poor = new CallerBed(false, true)
  poor.give('found')
  assert.is(poor.give('no funds'), 'commit(call.insert,leg.insert,CALL.0100)')
  assert.is(poor.give('stored'), 'leg.end(END.0402) commit(leg.update,call.update,CALL.0400)')
})

test('whatever becomes of a caller, its places are free when the call is gone', () => {
  for (const [isPhone, isHosted] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const)
    for (const way of [
      ['suspended', 'stored', 'stored'],
      ['found', 'no funds', 'stored', 'stored'],
      ['found', 'hang up', 'stored', 'stored'],
      ['found', 'hang up', 'no funds'],
      ['found', 'stored', 'hang up', 'stored'],
      ['found', 'commit fails', 'hang up'],
      ['found', 'no funds', 'hang up', 'stored', 'stored'],
    ] as const) {
      const bed = new CallerBed(isPhone, isHosted)
      for (const step of way) bed.give(step)
      bed.give('hang up')
      assert.ok(bed.isGone, way.join(', '))
    }
})

test.run()
