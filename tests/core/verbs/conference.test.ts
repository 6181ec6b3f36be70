import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkDocument } from '../../../core/verbs/index.ts'
import type { ConferenceOrder } from '../../../core/verbs/program.ts'
import { ProgramBed } from '../bed/program-bed.ts'

// <Conference> as it is read, and when its Dial runs.

const problemsOf = (dial: string): number =>
  checkDocument(new TextEncoder().encode(`<Response>${dial}</Response>`)).problems.length

const ordersOf = (dial: string, answered = true) => {
  const bed = new ProgramBed({ documents: { 'http://a.test/start': `<Response>${dial}</Response>` }, answered })
  const log = bed.run(1000)
  const command = bed.commands.find(each => each.type === 'dial')
  return { log, dial: command?.type === 'dial' ? command.dial : undefined }
}

const usual: ConferenceOrder = {
  kind: 'conference',
  name: 'r',
  muted: false,
  startOnEnter: true,
  endOnExit: false,
  beepOnEnter: true,
  beepOnExit: true,
  maxMembers: 50,
}

test('each attribute, good and bad', () => {
  const rows: [attributes: string, changed: Partial<ConferenceOrder>, problems: number][] = [
    ['', {}, 0],
    ['muted="true"', { muted: true }, 0],
    ['muted="yes"', {}, 1],
    ['startOnEnter="false"', { startOnEnter: false }, 0],
    ['startOnEnter=""', {}, 1],
    ['endOnExit="true"', { endOnExit: true }, 0],
    ['endOnExit="True"', {}, 1],
    ['beep="true"', {}, 0],
    ['beep="false"', { beepOnEnter: false, beepOnExit: false }, 0],
    ['beep="onEnter"', { beepOnExit: false }, 0],
    ['beep="onExit"', { beepOnEnter: false }, 0],
    ['beep="onenter"', {}, 1],
    ['waitAsset="hold-music"', { wait: 'hold-music' }, 0],
    ['waitAsset="silence"', { wait: 'silence' }, 0],
    ['waitAsset="https://a.test/x.mp3"', {}, 1],
    ['maxMembers="2"', { maxMembers: 2 }, 0],
    ['maxMembers="50"', {}, 0],
    ['maxMembers="1"', {}, 1],
    ['maxMembers="51"', {}, 1],
    ['maxMembers="2.5"', {}, 1],
    ['startConferenceOnEnter="true" waitUrl="x"', {}, 2],
  ]
  for (const [attributes, changed, problems] of rows) {
    const dial = `<Dial><Conference ${attributes}>r</Conference></Dial>`
    assert.is(problemsOf(dial), problems, attributes)
    assert.equal(ordersOf(dial).dial?.conference, { ...usual, ...changed }, attributes)
  }
})

test('names, and what may stand beside it', () => {
  const long = 'x'.repeat(128)
  const rows: [inside: string, name: string | undefined, targets: number, problems: number][] = [
    ['<Conference>r</Conference>', 'r', 0, 0],
    ['<Conference>\n  Board  meeting \t 7 </Conference>', 'Board meeting 7', 0, 0],
    ['<Conference>Büro &amp; &lt;x&gt; 😀</Conference>', 'Büro & <x> 😀', 0, 0],
    [`<Conference>${long}</Conference>`, long, 0, 0],
    [`<Conference>${long}x</Conference>`, undefined, 0, 1],
    ['<Conference/>', undefined, 0, 1],
    ['<Conference> </Conference>', undefined, 0, 1],
    ['<Conference>a&#127;b</Conference>', undefined, 0, 1],
    ['text <Conference>r</Conference>', 'r', 0, 1],
    ['<Conference>r</Conference><Number>1002</Number>', undefined, 1, 1],
    ['<Number>1002</Number><Conference>r</Conference>', undefined, 1, 1],
    ['<Conference>a</Conference><Conference>b</Conference>', undefined, 0, 2],
    ['<conference>r</conference>', undefined, 0, 1],
  ]
  for (const [inside, name, targets, problems] of rows) {
    const { dial } = ordersOf(`<Dial>${inside}</Dial>`)
    assert.is(problemsOf(`<Dial>${inside}</Dial>`), problems, inside)
    assert.is(dial?.conference?.name, name, inside)
    assert.is(dial?.targets.length ?? 0, targets, inside)
  }
})

test('the room answers by itself: nothing is answered before, whatever answerOnBridge says', () => {
  for (const answerOnBridge of ['true', 'false']) {
    const dial = `<Dial answerOnBridge="${answerOnBridge}"><Conference>r</Conference></Dial>`
    const { log } = ordersOf(dial, false)
    assert.not(
      log.some(line => line.includes('answer')),
      answerOnBridge,
    )
    assert.ok(ordersOf(dial, false).dial?.conference !== undefined)
  }
})

test.run()
