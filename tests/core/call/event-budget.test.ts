import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CallBed } from '../bed/call-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

const at = '+254700000001'

const calling = (inside: string): CallBed => {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', `<Response>${inside}</Response>`)
  return bed
}

test('a call writes 200 events of its document at once and 10 a second, and one at its end says how many were left out', () => {
  for (const nothing of ['<Play>ftp:x</Play>', `<Gather timeout="0">${'<Play>ftp:x</Play>'.repeat(9)}</Gather>`]) {
    const bed = calling(`<Say>Hello</Say>${nothing.repeat(300)}<Pause length="10"/><Say>x</Say>`)
    bed.call(at)
    expectAllEnded(bed)
    const codes = bed.codes()
    const optional = codes.filter(code => /^(PLAY|DOC)/.test(code)).length
    assert.ok(optional >= 200 && optional <= 330, `${optional} events`)
    const [note, ...more] = bed.store.events.filter(({ code }) => code === 'EVENT.0429')
    assert.is(more.length, 0)
    assert.ok(Number(note?.data.omitted) >= 90, `${note?.data.omitted} left out`)
    // What money and status callbacks need is whole.
    for (const code of ['CALL.0100', 'CALL.0200', 'CALL.0300']) {
      assert.is(codes.filter(each => each === code).length, 1, code)
    }
  }
})

test('what status callbacks carry is never left out', () => {
  const bed = calling(
    `<Say>Hello</Say>${'<Play>ftp:x</Play>'.repeat(400)}${'<Record playBeep="false" maxLength="1"/>'.repeat(30)}`,
  )
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.codes().filter(code => code === 'REC.0200').length, 30)
})

test('a call within its budget has no such note', () => {
  const bed = calling(`<Say>Hello</Say>${'<Play>ftp:x</Play>'.repeat(100)}`)
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.codes().filter(code => code === 'PLAY.0400').length, 100)
  assert.not.ok(bed.codes().includes('EVENT.0429'))
})

test.run()
