import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cutSpeech, easeEnds } from '../../../../core/adapters/audio/speech-pieces.ts'
import { seeded } from '../../../rig/probes/seeded.ts'

const sizes = { first: 50, most: 250 }

test('a text is cut after its sentences, the first piece short, the others twice as long each', () => {
  const sentence = 'The office opens at eight in the morning. '
  const pieces = cutSpeech(sentence.repeat(40), sizes)
  assert.is(pieces[0], sentence.trim())
  assert.ok(pieces.every(piece => piece.endsWith('.')))
  assert.is(pieces.join(' '), sentence.repeat(40).trim())
  for (const [at, piece] of pieces.entries()) {
    assert.ok(piece.length <= 375, `${piece.length}`)
    if (at > 0) assert.ok(piece.length <= 3 * pieces[at - 1]!.length, 'made while the one before it sounds')
  }
  assert.ok(pieces.length <= 10)
})

test('where it is cut, and where not', () => {
  const tail = 'And here is another sentence which is long enough to be cut off, since it goes on and on.'
  const rows: [text: string, first: string][] = [
    ['Good morning, Mr. Otieno, and welcome to Nairobi.', 'Good morning, Mr. Otieno, and welcome to Nairobi.'],
    ['Please ask for Dr. Wanjiku at the desk. ', 'Please ask for Dr. Wanjiku at the desk.'],
    ['Your balance is 1,234.56 shillings today.', 'Your balance is 1,234.56 shillings today.'],
    ['He said "Please wait here." Then he left.', 'He said "Please wait here." Then he left.'],
    ['Is that so? Yes! It really is…', 'Is that so? Yes! It really is…'],
    [`There is no full stop in sight, only a comma ${'and a word '.repeat(20)}`, 'There is no full stop in sight,'],
    [`No breath at all ${'word '.repeat(60)}`, 'No breath at all word word word word word word'],
    ['你好，欢迎光临。'.repeat(12), '你好，欢迎光临。'.repeat(6)],
    ['x'.repeat(400), 'x'.repeat(50)],
  ]
  for (const [text, first] of rows) {
    const [piece] = cutSpeech(`${text.trim()} ${tail}`, sizes)
    assert.is(piece, first)
  }
})

test('a text that is little longer than the first piece stays whole; one of nothing has no piece', () => {
  assert.equal(cutSpeech('Karibu sana. Tafadhali subiri kidogo, rafiki. Asante.', sizes).length, 1)
  assert.equal(cutSpeech('   ', sizes), [])
})

test('whatever the text: nothing is lost, nothing torn, no piece is empty or too long', () => {
  const random = seeded(11)
  const alphabet = [...'abc ABC. ,!?;:—…"\')(0123 \u{1f600}语。é. ']
  for (let round = 0; round < 300; round++) {
    const length = Math.floor(random() * 3000)
    const text = Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]!).join('')
    const pieces = cutSpeech(text, sizes)
    assert.is(pieces.join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''))
    assert.ok(pieces.every(piece => piece !== '' && piece.length <= 2 * sizes.most + 1 && piece.isWellFormed()))
  }
})

test('pieces begin and end softly where they adjoin', () => {
  const loud = () => new Uint8Array(Int16Array.from({ length: 1000 }, () => 8000).buffer)
  const both = loud()
  easeEnds(both, 16_000, { from: true, to: true })
  const samples = new Int16Array(both.buffer)
  assert.is(samples[0], 0)
  assert.is(samples.at(-1), 0)
  assert.ok(samples.every((sample, at) => at === 0 || Math.abs(sample - samples[at - 1]!) <= 260))
  assert.is(samples[500], 8000)
  const none = loud()
  easeEnds(none, 16_000, { from: false, to: false })
  assert.equal(none, loud())
  for (const bytes of [0, 1, 2, 3, 4]) easeEnds(new Uint8Array(bytes), 8000, { from: true, to: true })
})

test.run()
