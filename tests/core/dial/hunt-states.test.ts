import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type HuntInput, huntTable } from '../../../core/dial/hunt-states.ts'
import { HuntBed, type HuntBedInput, huntInputs } from '../bed/hunt-bed.ts'

test('the search of a Dial: every cell', () => {
  const inputs: readonly HuntInput[] = ['answered', 'ring-timeout', 'cancelled', 'wait', 'next', 'end']
  const cells = Object.entries(huntTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input] ?? '-')].join(' '),
  )
  assert.equal(cells, [
    'seeking won cancelling - confirming seeking over',
    'cancelling - - seeking - - over',
    'confirming - - - - seeking over',
    'won - - - - - over',
    'over - - - - - -',
  ])
})

/** How a search gets there: `sequential`, then what happens. */
const ways: Readonly<Record<string, readonly [sequential: boolean, way: readonly HuntBedInput[]]>> = {
  'seeking, looked up': [false, []],
  seeking: [false, ['found']],
  'seeking, early': [false, ['found', 'early']],
  'seeking, one left': [false, ['found', 'first busy']],
  'seeking in turn': [true, ['found']],
  'seeking in turn, looked up': [true, []],
  confirming: [true, ['found', 'ring timeout']],
  'confirming before the ring timeout': [true, ['found', 'media failed']],
  'seeking the last in turn': [true, ['found', 'first busy', 'found']],
  won: [false, ['found', 'first answers']],
  'won in turn': [true, ['found', 'first answers']],
  over: [false, ['found', 'end']],
}

/**
 * What is commanded, committed and reported (`>`). What a row does not name is absorbed. `>over,audible`: somebody can
 * be heard then. `cancelling` lasts no longer than one input: it is what no `>over` of a ring timeout is audible in.
 */
const expected: Readonly<Record<string, Readonly<Partial<Record<HuntBedInput, string>>>>> = {
  'seeking, looked up': {
    found:
      '+one commit(leg.insert,hold.open,DIAL.0100) +one commit(leg.insert,hold.open,DIAL.0100) media.open media.open leg.dial leg.dial',
    'ring timeout': '>failed(END.0408)',
    end: 'ended',
  },
  seeking: {
    ringing: 'commit(DIAL.0180) >ringing',
    early: 'media.answered >early',
    'first answers':
      'media.answered commit(leg.update,DIAL.0200) -one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over,audible >won >ready',
    'second answers':
      'media.answered commit(leg.update,DIAL.0200) -one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over,audible >won >ready',
    'first busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over',
    'second busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    'ring timeout':
      '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over -one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over >failed(END.0408)',
    end: 'ended',
    stop: '-one leg.end media.close -one leg.end media.close last(leg.update,hold.settle,DIAL.0400,leg.update,hold.settle,DIAL.0400)',
  },
  'seeking, early': {
    ringing: 'commit(DIAL.0180) >ringing',
    early: 'media.answered >early',
    'first answers':
      'media.answered commit(leg.update,DIAL.0200) -one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over,audible >won >ready >ready',
    'second answers':
      'media.answered commit(leg.update,DIAL.0200) -one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over,audible >won >ready',
    'first busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over',
    'second busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over,audible',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    'ring timeout':
      '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over -one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over >failed(END.0408)',
    end: 'ended',
    stop: '-one leg.end media.close -one leg.end media.close last(leg.update,hold.settle,DIAL.0400,leg.update,hold.settle,DIAL.0400)',
  },
  'seeking, one left': {
    ringing: 'commit(DIAL.0180) >ringing',
    early: 'media.answered >early',
    'first answers': 'media.answered commit(leg.update,DIAL.0200) >won >ready',
    'first busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over >failed(END.0480)',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    'ring timeout': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over >failed(END.0408)',
    end: 'ended',
    stop: '-one leg.end media.close last(leg.update,hold.settle,DIAL.0400)',
  },
  'seeking in turn': {
    ringing: 'commit(DIAL.0180) >ringing',
    early: 'media.answered >early',
    'first answers': 'media.answered commit(leg.update,DIAL.0200) >won >ready',
    'first busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over lookup(placing)',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    'ring timeout': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    end: 'ended',
    stop: '-one leg.end media.close last(leg.update,hold.settle,DIAL.0400)',
  },
  'seeking in turn, looked up': {
    found: '+one commit(leg.insert,hold.open,DIAL.0100) media.open leg.dial',
    'ring timeout': 'lookup(placing)',
    end: 'ended',
  },
  confirming: {
    confirmed: '-place lookup(placing)',
    'ring timeout': 'lookup(placing)',
    'confirm timeout': 'lookup(placing)',
    end: 'ended',
  },
  'confirming before the ring timeout': {
    confirmed: '-place lookup(placing)',
    end: 'ended',
  },
  'seeking the last in turn': {
    ringing: 'commit(DIAL.0180) >ringing',
    early: 'media.answered >early',
    'first answers': 'media.answered commit(leg.update,DIAL.0200) >won >ready',
    'first busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400) >over >failed(END.0480)',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over',
    'ring timeout': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400) >over >failed(END.0408)',
    end: 'ended',
    stop: '-one leg.end media.close last(leg.update,hold.settle,DIAL.0400)',
  },
  won: {
    'winner ends': '-one media.close -place commit(leg.update,hold.settle,BILL.0200,DIAL.0300) >over',
    confirmed: '-place',
    end: 'ended',
    stop: '-one leg.end media.close last(leg.update,hold.settle,DIAL.0300)',
  },
  'won in turn': {
    'winner ends': '-one media.close -place commit(leg.update,hold.settle,BILL.0200,DIAL.0300) >over',
    end: 'ended',
    stop: '-one leg.end media.close last(leg.update,hold.settle,DIAL.0300)',
  },
  over: {
    ringing: 'commit(DIAL.0180)',
    early: 'media.answered',
    'first answers':
      'media.answered commit(leg.update,DIAL.0200) -one leg.end media.close commit(leg.update,hold.settle,DIAL.0300)',
    'second answers':
      'media.answered commit(leg.update,DIAL.0200) -one leg.end media.close commit(leg.update,hold.settle,DIAL.0300)',
    'first busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400)',
    'second busy': '-one media.close -place commit(leg.update,hold.settle,DIAL.0400)',
    'media failed': '-one leg.end media.close commit(leg.update,hold.settle,DIAL.0400)',
  },
}

for (const [state, [sequential, way]] of Object.entries(ways)) {
  test(`the search of a Dial, ${state}: every input does what its cell says`, () => {
    for (const input of huntInputs) {
      const bed = new HuntBed(sequential)
      for (const step of way) bed.give(step)
      assert.is(bed.give(input), expected[state]?.[input] ?? '', `${state} + ${input}`)
    }
  })
}

test('the next in turn is looked up when the cancelled one has ended, or has kept silent for 2 s; once', () => {
  for (const end of ['confirmed', 'confirm timeout'] as const) {
    const bed = new HuntBed(true)
    for (const step of ['found', 'ring timeout'] as const) bed.give(step)
    assert.match(bed.give(end), /lookup\(placing\)$/, end)
    assert.not.match(bed.give('confirmed'), /lookup/)
    assert.is(bed.give('confirm timeout'), '')
    assert.match(bed.give('found'), /leg\.dial$/)
    assert.match(bed.give('ring timeout'), />failed\(END\.0408\)$/)
  }
})

test.run()
