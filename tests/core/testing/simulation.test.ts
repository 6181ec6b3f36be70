import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { response } from '../../../core/document-builder/index.ts'
import { Simulation } from '../../../core/testing/index.ts'

test('a document is played, and the call ends with it', async () => {
  const sauti = new Simulation({ documents: response().say('Karibu').play({ asset: 'jingle' }) })
  const caller = sauti.call()
  await caller.hears('Karibu')
  assert.ok(caller.isAnswered)
  const end = await caller.ended()
  assert.is(end.reason, 'END.0202')
  assert.is(end.label, 'Call flow finished')
  assert.equal(caller.transcript, ['say "Karibu"', 'play jingle'])
  assert.is(sauti.calls[0]?.status, 'completed')
  assert.equal(
    sauti.events.map(event => event.code),
    ['CALL.0100', 'CALL.0180', 'CALL.0200', 'CALL.0300'],
  )
})

test('a menu: digits, an action, and a Dial that is busy', async () => {
  const sauti = new Simulation({
    documents: {
      '/': response()
        .gather({ numDigits: 1, action: '/menu' }, prompt => prompt.say('Press one'))
        .say('Goodbye'),
      '/menu': call =>
        call.digits === '1'
          ? response().dial({ number: '+254711000001', timeout: '20s', action: '/done' })
          : response().say('Wrong'),
      '/done': call => response().say(`It was ${call.dial?.status}`),
    },
    remotes: { '+254711000001': 'busy' },
  })
  const caller = sauti.call()
  await caller.hears('Press one')
  await caller.press('1')
  await caller.hears('It was busy')
  await caller.ended()
  assert.equal(
    sauti.requests.map(request => request.url),
    ['/', '/menu', '/done'],
  )
  assert.is(sauti.requests[1]?.fields.Digits, '1')
  assert.is(sauti.dialled('+254711000001').length, 1)
})

test('no digit: the prompt ends, and the next verb runs', async () => {
  const sauti = new Simulation({
    documents: response()
      .gather({ timeout: '5s' }, prompt => prompt.say('Type'))
      .say('Nothing typed'),
  })
  const caller = sauti.call()
  const asked = await caller.hears('Type')
  const reported = await caller.hears('Nothing typed')
  assert.ok(reported.atMs - asked.atMs >= 5000)
})

test('an hour of talk costs an hour and takes no time', async () => {
  const sauti = new Simulation({
    documents: response().dial({ number: '+254711000001' }),
    remotes: { '+254711000001': { answersAfter: '2s', hangsUpAfter: '1h' } },
    rates: [{ prefix: '+254', perMinute: '3.00' }],
    balance: '500.00',
  })
  const caller = sauti.call()
  await caller.hears('+254711000001')
  const end = await caller.ended()
  assert.is(end.reason, 'END.0200')
  assert.is(end.cost, '180.00')
  assert.is(sauti.balance, '320.00')
  assert.is(sauti.dialled('+254711000001')[0]?.transcript[0], 'talk with +254711111111')
})

test('money ends the call at the last paid second, with a tone before', async () => {
  const sauti = new Simulation({
    documents: response().dial({ number: '+254711000001' }),
    rates: [{ prefix: '+254', perMinute: '3.00' }],
    balance: '6.00',
  })
  const caller = sauti.call()
  const end = await caller.ended()
  assert.ok(caller.transcript.includes('tone warning'), caller.transcript.join())
  assert.is(end.cost, '6.00')
  assert.is(sauti.balance, '0.00')
})

test('a recording ends with silence after the speech', async () => {
  const sauti = new Simulation({
    documents: {
      '/': response().record({ action: '/recorded', timeout: '3s' }),
      '/recorded': call => response().say(`You spoke ${call.recording?.seconds} s`),
    },
  })
  const caller = sauti.call()
  await caller.hears('beep')
  await caller.speak('7s')
  await caller.hears('You spoke 10 s')
})

test('an end-user: the phone dials, is dialled, and hangs up', async () => {
  const sauti = new Simulation({
    documents: call =>
      call.endUser === undefined ? response().dial({ client: '1001' }) : response().dial({ number: call.to }),
    users: [{ extension: '1001' }],
    remotes: { '+254722000000': { hangsUpAfter: '10s' } },
  })
  const phone = sauti.callFrom('1001', '+254722000000')
  await phone.hears('+254722000000')
  assert.is((await phone.ended()).reason, 'END.0200')
  const caller = sauti.call()
  await caller.hears('1001')
  const end = await caller.hangUp()
  assert.is(end.reason, 'END.0200')
})

test('originate: the document is played to the callee', async () => {
  const sauti = new Simulation({
    documents: { '/out': call => response().say(`For ${call.to}: ${call.customPayload}`) },
  })
  const callee = await sauti.originate({ to: '+254722000000', path: '/out', customPayload: 'order 7' })
  await callee.hears('For +254722000000: order 7')
  assert.is((await callee.ended()).status, 'completed')
  let refused = ''
  await sauti.originate({ to: '+8701234567' }).catch((fault: Error) => {
    refused = fault.message
  })
  assert.match(refused, /^END\.4433/)
})

test('an expected prompt that is missing: the error names what was played', async () => {
  const sauti = new Simulation({ documents: response().say('One') })
  const caller = sauti.call()
  let message = ''
  await caller.hears('Two').catch((fault: Error) => {
    message = fault.message
  })
  const [first, ...course] = message.split('\n')
  assert.is(first, 'did not hear "Two" before the call ended (END.0202 Call flow finished); heard say "One"')
  assert.ok(
    course.some(line => line.endsWith('document /')),
    message,
  )
})

test('who is dialled answers, refuses and hangs up by hand; the end of its leg is not that of the call', async () => {
  const sauti = new Simulation({
    documents: {
      '/': response().dial({ number: '+254711000001', action: '/more' }),
      '/more': response().dial({ number: '+254711000002' }).say('Both are done'),
    },
    otherRemotes: 'no-answer',
    rates: [{ prefix: '+254', perMinute: '3.00' }],
  })
  const caller = sauti.call()
  const first = await sauti.dials('+254711000001')
  await sauti.run('4s')
  const refused = await first.refuse(603)
  assert.equal([refused.reason, refused.status, refused.cost], ['END.0603', 'failed', '0.00'])
  const second = await sauti.dials('+254711000002')
  assert.is(second.callerId, '+254700000001')
  await second.answer()
  await sauti.run('61s')
  const ended = await second.hangUp()
  assert.equal([ended.reason, ended.cost], ['END.0200', '6.00'])
  assert.is(sauti.endOf(caller), undefined, 'the call goes on')
  await caller.hears('Both are done')
  assert.is((await caller.ended()).reason, 'END.0202')
})

test('what does not happen is reported with what did', async () => {
  const sauti = new Simulation({
    documents: response().dial({ number: '+254711000001', timeout: '5s' }).say('Nobody'),
    otherRemotes: 'no-answer',
  })
  const reported = (attempt: Promise<unknown>) =>
    attempt.then(
      () => '',
      (fault: Error) => fault.message,
    )
  const caller = sauti.call()
  assert.match(
    await reported(sauti.dials('+254711000002', '2s')),
    /^\+254711000002 was not dialled within 2s; dialled so far: \+254711000001\n.* call from/,
  )
  const callee = await sauti.dials('+254711000001')
  assert.match(await reported(callee.answers()), /^was not answered before the call ended \(END\.0408 No answer\)/)
  await caller.ended()
  assert.match(
    await reported(caller.press('1')),
    /^press\("1"\): the call has ended \(END\.0202 Call flow finished\)\n/,
  )
  assert.match(await reported(caller.speak('1s')), /^speak\("1s"\): the call has ended/)
  assert.match(await reported(sauti.dials('+254711000001')), /was not dialled more than once/)
})

test('as in production: busy does not ring, a tone without time is not played, the record is complete', async () => {
  const sauti = new Simulation({
    documents: response().say('Hello').dial({ client: '1001' }).dial({ number: '+254711000001' }),
    users: [{ extension: '1001', phone: null }],
    remotes: { '+254711000001': 'busy' },
  })
  const caller = sauti.call()
  await caller.ended()
  assert.equal(caller.transcript, ['say "Hello"', 'tone ringback-ke'])
  const dialled = sauti.events.filter(({ code }) => code.startsWith('DIAL'))
  assert.equal(
    dialled.map(({ code, data }) => `${code} ${data.to_number}`),
    ['DIAL.0100 1001', 'DIAL.0400 1001', 'DIAL.0100 +254711000001', 'DIAL.0400 +254711000001'],
  )
  assert.is(sauti.calls[0]?.tts_seconds, 1)
})

test('a caller gives up in a Pause, before there is any media', async () => {
  const sauti = new Simulation({ documents: response().pause('10m').say('Late') })
  const caller = sauti.call()
  await sauti.run('30s')
  assert.is((await caller.hangUp()).reason, 'END.0487')
  assert.equal(caller.transcript, [])
})

test('a room is found by its name, and the clock and the recordings can be read', async () => {
  const sauti = new Simulation({
    documents: response().recordSession().say('Hello', { loop: 2 }).dial({ conference: 'Board 7' }),
    startsAt: new Date('2026-03-02T05:00:00Z'),
  })
  const caller = sauti.call()
  await caller.hears('Board 7')
  assert.equal(caller.transcript, ['say "Hello" × 2', 'room Board 7'])
  await sauti.run('10s')
  await caller.hangUp()
  await sauti.run()
  assert.ok(sauti.now.getTime() > Date.parse('2026-03-02T05:00:10Z'))
  assert.is(sauti.recordings.length, 1)
})

test('a function that throws and a path that is missing run the fallback', async () => {
  const failing = new Simulation({
    documents: () => {
      throw new Error('out of coffee')
    },
  })
  const caller = failing.call()
  await caller.hears('application error')
  assert.is((await caller.ended()).reason, 'END.3502')
  const missing = new Simulation({ documents: { '/': response().redirect('/nowhere') }, fallback: { mode: 'drop' } })
  assert.is((await missing.call().ended()).status, 'failed')
})

test('asynchronous documents are waited for in no virtual time', async () => {
  const sauti = new Simulation({
    documents: async () => {
      await new Promise(resolve => setImmediate(resolve))
      return '<Response><Say>Late but there</Say></Response>'
    },
  })
  const received = await sauti.call().hears('Late but there')
  assert.ok(received.atMs < 100)
})

test('the same simulation gives the same course', async () => {
  const course = async () => {
    const sauti = new Simulation({ documents: response().say('A').dial({ number: '+254711000001', timeLimit: 9 }) })
    await sauti.call().ended()
    return JSON.stringify([sauti.calls, sauti.events, sauti.requests])
  }
  assert.is(await course(), await course())
})

test.run()
