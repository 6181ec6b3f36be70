import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cancellingMs } from '../../../core/verbs/dial.ts'
import { Interpreter, type ProgramCommand, type ProgramEvent } from '../../../core/verbs/index.ts'
import { seeded } from '../bed/seeded.ts'

const pieces = [
  '<Say>hello</Say>',
  '<Say loop="0">music</Say>',
  '<Say/>',
  '<Play asset="x"/>',
  '<Play digits="1w2"/>',
  '<Play>file:///x</Play>',
  '<Pause/>',
  '<Pause length="0"/>',
  '<Redirect>/next</Redirect>',
  '<Redirect>SELF</Redirect>',
  '<Hangup/>',
  '<Hangup reason="busy"/>',
  '<Record/>',
  '<Record action="/r" finishOnKey="#"/>',
  '<Record action="/r" playBeep="false"/>',
  '<Dial>1002</Dial>',
  '<Dial action="/d" answerOnBridge="false"><Number>+254700000001</Number></Dial>',
  '<Dial action="/d"/>',
  '<Foo/>',
  '<Unclosed>',
]

const faults = ['not-found', 'timeout', 'too-large', 'status', 'transport', 'refused-address'] as const
const statuses = ['completed', 'busy', 'no-answer', 'failed'] as const

test('any events in any order: never a throw, at most one end, silence after it, and always over', () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const random = seeded(seed)
    const document = () => {
      const verbs = Array.from({ length: random.below(5) }, () => random.pick(pieces)).join('')
      return new TextEncoder().encode(`<Response>${verbs}</Response>`)
    }
    const context = {
      answered: random.below(2) === 0,
      fallbackMode: random.pick(['message', 'play', 'drop'] as const),
      fallbackValue: random.pick(['', 'Sorry.', 'http://b.test/x.wav']),
    }
    const interpreter = new Interpreter({ url: random.pick(['http://a.test/', '', 'nonsense']), context })
    const ids: string[] = ['none']
    let ends = 0
    let gone = false
    let actionsAfterGone = 0
    const take = (commands: readonly ProgramCommand[]) => {
      assert.ok(ends === 0 || commands.length === 0, `seed ${seed}: commands after the end`)
      for (const command of commands) {
        if ('requestId' in command) ids.push(command.requestId)
        if ('playId' in command) ids.push(command.playId)
        if (command.type === 'record') ids.push(command.recordId)
        if ('dialId' in command) ids.push(command.dialId)
        if (command.type === 'end') ends++
        if (gone) assert.ok(command.type === 'fetch' && command.ignoreReply, `seed ${seed}: ${command.type} when gone`)
        if (gone) actionsAfterGone++
      }
      assert.ok(commands.length < 100 && new Set(ids).size === ids.length, `seed ${seed}`)
    }
    const anyEvent = (): ProgramEvent => {
      // Mostly about what is under way, sometimes about what is long over.
      const id = random.below(4) > 0 ? (ids.at(-1) ?? '') : random.pick(ids)
      switch (random.below(9)) {
        case 0:
          return { type: 'answered' }
        case 1:
        case 2:
          return { type: 'played', playId: id, spokenMs: random.below(3000) }
        case 3:
          return {
            type: 'recorded',
            recordId: id,
            recordingUuid: 'u',
            path: 'p',
            durationMs: random.below(9000),
            endedBy: random.pick(['silence', 'max-length', 'stopped', 'closed', 'failed']),
          }
        case 4:
          return { type: 'digit', digit: random.pick(['1', '#', '*']) }
        case 5:
          return {
            type: 'dialled',
            dialId: id,
            status: random.pick(statuses),
            durationSeconds: random.below(9),
            reason: 'END.0200',
            sid: 'CA1',
          }
        case 6:
          return { type: 'fetch-failed', requestId: id, fault: random.pick(faults), detail: '' }
        default:
          return { type: 'fetched', requestId: id, bytes: document() }
      }
    }
    let now = 0
    take(interpreter.start(now))
    for (let step = random.below(60); step > 0; step--) {
      now += random.below(2000)
      take(random.below(4) === 0 ? interpreter.timeout(now) : interpreter.handle(anyEvent(), now))
    }
    const before = ends
    const silent = interpreter.isOver
    gone = true
    take(interpreter.handle({ type: 'caller-gone' }, now))
    for (let step = random.below(10); step > 0; step--) take(interpreter.handle(anyEvent(), now))
    take(interpreter.timeout(now + cancellingMs))
    assert.ok(interpreter.isOver, `seed ${seed} is not over`)
    assert.is(interpreter.deadline(), undefined)
    assert.is(ends, before, `seed ${seed} ended a call that was gone`)
    assert.is(silent, before === 1, `seed ${seed}: over without an end, or the reverse`)
    assert.ok(actionsAfterGone <= 1, `seed ${seed} posted ${actionsAfterGone} times`)
  }
})

test.run()
