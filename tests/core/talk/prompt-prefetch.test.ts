import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallUuid } from '../../../core/model/ids.ts'
import { PromptPrefetch, prefetchKeepsMs } from '../../../core/talk/prompt-prefetch.ts'
import { CallBed } from '../bed/call-bed.ts'

const at = '+254700000001'

function called(verbs: string): CallBed {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', `<Response>${verbs}</Response>`)
  bed.call(at)
  return bed
}

const sounds = (bed: CallBed) =>
  bed.commands.flatMap(command => {
    switch (command.type) {
      case 'audio.load':
        return [`load ${'asset' in command.source ? command.source.asset : command.source.url}`]
      case 'audio.speak':
        return [`speak ${command.text}`]
      case 'media.play':
        return [`play${command.isFollowed === true ? ', followed' : ''}`]
      default:
        return []
    }
  })

test('while a prompt sounds the next is made ready, each once, in its order', () => {
  const bed = called('<Play asset="a"/><Play>/b.wav</Play><Say>Karibu</Say><Play asset="a"/>')
  bed.run(20_000)
  const asked = sounds(bed).filter(line => !line.startsWith('play'))
  assert.equal([...asked].sort(), ['load a', 'load a', 'load https://acme.test/b.wav', 'speak Karibu'])
  assert.equal(
    sounds(bed).filter(line => line.startsWith('play')),
    ['play, followed', 'play, followed', 'play, followed', 'play'],
  )
  const firstPlay = sounds(bed).findIndex(line => line.startsWith('play'))
  assert.ok(sounds(bed).indexOf('load https://acme.test/b.wav') < firstPlay)
  assert.is(bed.store.call().reasonCode, 'END.0202')
  assert.is(bed.store.call().ttsSeconds, 1)
})

test('after a Pause too, and into a Gather; not after a verb whose end is unknown', () => {
  const paused = called('<Pause length="3"/><Say>One</Say>')
  paused.run(1000)
  assert.equal(sounds(paused), ['speak One'])
  const gathering = called('<Say>One</Say><Gather action="/x"><Say>Two</Say></Gather><Say>Three</Say>')
  gathering.run(200)
  assert.equal(
    sounds(gathering)
      .filter(line => line.startsWith('speak'))
      .sort(),
    ['speak One', 'speak Two'],
  )
  const recorded = called('<Record/><Say>One</Say>')
  recorded.run(1000)
  assert.equal(
    sounds(recorded).filter(line => line.startsWith('speak')),
    [],
  )
})

test('what cannot be had is reported when its turn has come', () => {
  const bed = called('<Play asset="a"/><Play asset="missing"/><Play asset="b"/>')
  bed.run(1000)
  assert.ok(sounds(bed).includes('load missing'))
  assert.not(bed.codes().includes('PLAY.0404'))
  bed.run(20_000)
  assert.is(bed.codes().filter(code => code === 'PLAY.0404').length, 1)
  assert.is(bed.of('media.play').length, 2)
})

test('speech that was not played is not counted', () => {
  const bed = called('<Say>Hi</Say><Pause length="3"/><Say>A sentence of which nothing was ever spoken</Say>')
  bed.run(2500)
  assert.is(bed.of('audio.speak').length, 2)
  bed.hangUpCaller(bed.of('leg.ring')[0]!.legId)
  bed.run(1000)
  assert.is(bed.store.call().ttsSeconds, 1)
})

const play = (playId: string, url: string) => ({ type: 'play', playId, source: { url }, loop: 1 }) as const
const callId = 'c' as CallUuid
const ready = (requestId: string) =>
  ({ type: 'audio.ready', callId, requestId, path: '/a.wav', durationMs: 1000 }) as const

test('its turn before its audio, another turn than was expected, audio of long ago', () => {
  const ahead = new PromptPrefetch()
  assert.is(ahead.expect(play('', 'x'), 0), 'ahead:1')
  assert.is(ahead.expect(play('', 'x'), 1), undefined)
  assert.is(ahead.take(play('p1', 'x'), 2).is, 'under-way')
  assert.is(ahead.arrived(ready('ahead:1'), 3)?.requestId, 'p1')
  assert.is(ahead.arrived(ready('ahead:1'), 4), undefined)

  assert.is(ahead.expect(play('', 'y'), 5), 'ahead:2')
  assert.is(ahead.take(play('p2', 'z'), 6).is, 'unknown')
  assert.is(ahead.arrived(ready('ahead:2'), 7), undefined)
  assert.is(ahead.take(play('p3', 'y'), 8).is, 'here')
  assert.is(ahead.take(play('p4', 'y'), 9).is, 'unknown')

  assert.is(ahead.expect(play('', 'y'), 10), 'ahead:3')
  assert.is(ahead.arrived(ready('ahead:3'), 20), undefined)
  assert.is(ahead.take(play('p5', 'y'), 21 + prefetchKeepsMs).is, 'unknown')
  assert.is(ahead.arrived(ready('p6'), 22)?.requestId, 'p6')
})

test.run()
