import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CallBed } from '../bed/call-bed.ts'

// Speech that is played while it is spoken: `Growing 5` has a second at once, and one more each 100 ms.
function called(verbs: string): CallBed {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', `<Response>${verbs}</Response>`)
  bed.call('+254700000001')
  return bed
}
const callerOf = (bed: CallBed) => bed.of('leg.ring')[0]!.legId

test('it is played as it grows, counted whole, and its files may go when the call is over', () => {
  const bed = called('<Say>Growing 5</Say><Say>Karibu</Say>')
  bed.run(20_000)
  const [first, second] = bed.of('media.play')
  assert.equal(first?.source, { kind: 'file', path: '/wav/5000', isGrowing: true })
  assert.equal(second?.source, { kind: 'file', path: '/wav/300' })
  assert.is(bed.store.call().ttsSeconds, 6)
  assert.is(bed.store.call().reasonCode, 'END.0202')
  assert.is(bed.of('audio.abandon').length, 1)
  assert.not(bed.codes().some(code => code.startsWith('SAY')))
})

test('a call that ends in the middle is counted what was spoken for it by then', () => {
  const bed = called('<Say>Growing 9</Say>')
  bed.run(300)
  const made = bed.of('media.play').length
  assert.is(made, 1)
  bed.hangUpCaller(callerOf(bed))
  bed.run(5000)
  const { ttsSeconds } = bed.store.call()
  assert.ok(ttsSeconds >= 2 && ttsSeconds <= 4, `${ttsSeconds} s`)
  assert.is(bed.of('audio.abandon').length, 1)
})

test('calls without it have nothing to abandon', () => {
  const bed = called('<Say>Karibu</Say>')
  bed.run(5000)
  assert.is(bed.of('audio.abandon').length, 0)
})

test('an engine that breaks in the middle is reported, once, and the call goes on after what there is', () => {
  const bed = called('<Say>Growing 9 breaks at 3</Say><Play asset="a"/>')
  bed.run(20_000)
  assert.equal(
    bed.codes().filter(code => code.startsWith('SAY')),
    ['SAY.0500'],
  )
  assert.is(bed.store.call().ttsSeconds, 3)
  assert.is(bed.of('media.play').length, 2)
  assert.is(bed.store.call().reasonCode, 'END.0202')
})

test('made ready ahead: counted from its turn on, wherever it stands then', () => {
  for (const [pause, before] of [
    [1, 'whole by then'],
    [0, 'still growing'],
  ] as const) {
    const bed = called(`<Say>${pause === 0 ? 'K' : 'Karibu sana, karibu sana'}</Say><Say>Growing 6</Say>`)
    bed.run(20_000)
    assert.is(bed.of('audio.speak').length, 2, before)
    assert.is(bed.store.call().ttsSeconds, pause === 0 ? 7 : 8, before)
    assert.is(bed.of('audio.abandon').length, 1)
  }
})

test('a digit stops the prompt; the text is spoken to its end all the same, and counted', () => {
  const bed = called('<Gather numDigits="1" timeout="1" action="/x"><Say>Growing 8</Say></Gather>')
  bed.documents.set('https://acme.test/x', '<Response><Pause length="3"/></Response>')
  bed.run(400)
  bed.press(callerOf(bed), '5')
  bed.run(10_000)
  assert.is(bed.of('media.stop').length, 1)
  assert.is(bed.posts.at(-1)?.fields.Digits, '5')
  assert.is(bed.store.call().ttsSeconds, 8)
})

test.run()
