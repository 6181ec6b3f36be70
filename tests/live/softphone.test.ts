import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf, headersOf } from '../../sip/index.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { plainSdp, type WsPhone } from '../rig/peers/ws-phone.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { untilReceived } from '../rig/probes/received-audio.ts'
import { sine, toneShare, wavOf } from '../rig/probes/tone.ts'
import { bed, dialWhatWasDialled, ended, idle, newest, phoneOf, portIn, withPhones, words } from './softphone-bed.ts'

// Calls of softphones (softphone-bed.ts).

test.after(() => bed.close())

for (const by of ['bearer', 'digest'] as const) {
  test(`registers by ${by}, is seen as registered, and unregisters`, async () => {
    const user = await bed.user()
    const phone = await phoneOf(user, { by })
    assert.is(bed.sauti.isRegistered(user.user.uuid), false)
    const made = await phone.register(120)
    assert.is(made.status, 200)
    assert.match(headersOf(made, 'Contact')[0] ?? '', /;expires=120$/)
    assert.is(bed.sauti.isRegistered(user.user.uuid), true)
    assert.is((await phone.register(0)).status, 200)
    assert.is(bed.sauti.isRegistered(user.user.uuid), false)
    phone.close()
  })
}

test('a call to a hosted document: rung, answered, its tone is received, BYE', async () => {
  await bed.sauti.repositories.assets.put(
    bed.account,
    'tone',
    wavOf(sine(1000, 2)),
    { mediaFormat: 'wav', durationMs: 2000 },
    Date.now(),
  )
  await bed.document('<Response><Play asset="tone" loop="0"/></Response>')
  const user = await bed.user()
  await withPhones([user], async phone => {
    const port = await freePort()
    const own = await RtpEndpoint.open(port)
    const call = phone.begin('INVITE', {
      to: '+254722222222',
      sdp: plainSdp(port),
      headers: ['X-Service-Custom-Payload: {"order":7}'],
    })
    await call.ringing()
    const answer = await call.final()
    assert.is(answer.status, 200)
    assert.match(headerOf(answer, 'Contact') ?? '', /^<sip:sauti@127\.0\.0\.1:\d+;transport=ws>$/)
    call.acknowledge()
    own.aim(portIn(answer))
    own.sendFrame(new Uint8Array(160).fill(0xff))
    // Silence is sent from the 200 on, until the asset is read: how long that takes is not this test's matter.
    await untilReceived(own, 1000)
    const row = await newest()
    assert.equal([row.direction, row.fromNumber, row.toNumber], ['outbound', bed.number, '+254722222222'])
    assert.equal(row.customPayload, { order: 7 })
    assert.is((await call.bye()).status, 200)
    const over = await ended(row.uuid)
    assert.equal([over.status, over.reasonCode, over.cost], ['completed', 'END.0200', 0])
    own.close()
  })
})

test('one phone calls another by its extension: the caller is shown, both receive each other, the callee hangs up', async () => {
  await bed.document(dialWhatWasDialled)
  const [amina, baraka] = [await bed.user(), await bed.user()]
  await withPhones([amina, { desk: baraka }], async (caller, callee) => {
    await callee.register()
    const [portA, portB] = [await freePort(), await freePort()]
    const [rtpA, rtpB] = [await RtpEndpoint.open(portA), await RtpEndpoint.open(portB)]
    const call = caller.begin('INVITE', { to: baraka.extension, sdp: plainSdp(portA) })
    const invite = await callee.incoming()
    assert.ok(callee.contact.includes(invite.uri), invite.uri)
    assert.match(
      headerOf(invite, 'From') ?? '',
      new RegExp(`^"${amina.user.displayName}" <sip:${amina.extension}@[^>]+>;tag=`),
    )
    assert.match(headerOf(invite, 'To') ?? '', new RegExp(`^<sip:${baraka.extension}@localhost>$`))
    callee.answer(invite, 180)
    await call.ringing()
    callee.answer(invite, 200, { sdp: plainSdp(portB) })
    const answer = await call.final()
    assert.is(answer.status, 200)
    call.acknowledge()
    await callee.request('ACK')
    rtpA.aim(portIn(answer))
    rtpB.aim(portIn(invite))
    await Promise.all([rtpA.stream(encodePcmu(sine(440, 0.8))), rtpB.stream(encodePcmu(sine(1200, 0.8)))])
    const received = (rtp: RtpEndpoint) => decodePcmu(rtp.audio().subarray(-2400))
    assert.ok(toneShare(received(rtpB), 440) > 0.8)
    assert.ok(toneShare(received(rtpA), 1200) > 0.8)
    const row = await newest()
    callee.sendText(byeOf(invite, callee))
    const bye = await caller.request('BYE')
    caller.answer(bye, 200)
    const over = await ended(row.uuid)
    assert.equal([over.direction, over.status, over.reasonCode, over.cost], ['internal', 'completed', 'END.0200', 0])
    rtpA.close()
    rtpB.close()
  })
})

/** The callee's BYE within the dialog of an INVITE that it has answered. */
function byeOf(invite: Parameters<WsPhone['answer']>[0], phone: WsPhone): string {
  return [
    `BYE ${/<([^>]+)>/.exec(headerOf(invite, 'Contact') ?? '')?.[1]} SIP/2.0`,
    `Via: SIP/2.0/${phone.transport} x.invalid;branch=z9hG4bKbye`,
    `From: ${headerOf(invite, 'To')};tag=callee`,
    `To: ${headerOf(invite, 'From')}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    `CSeq: ${phone.nextCseq()} BYE`,
    'Max-Forwards: 70',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
}

test('the callee rejects: 486 to the caller; the caller gives up: CANCEL to the callee', async () => {
  await bed.document(dialWhatWasDialled)
  const [amina, baraka] = [await bed.user(), await bed.user()]
  await withPhones([amina, baraka], async (caller, callee) => {
    await callee.register()
    const busy = caller.begin('INVITE', { to: baraka.extension, sdp: plainSdp(40_000) })
    callee.answer(await callee.incoming(), 486)
    assert.equal(words(await busy.final()), [486, 'END.0486', '17'])
    await idle()
    const given = caller.begin('INVITE', { to: baraka.extension, sdp: plainSdp(40_000) })
    const invite = await callee.incoming()
    callee.answer(invite, 180)
    await given.ringing()
    given.cancel()
    assert.is((await given.final()).status, 487)
    const cancel = await callee.request('CANCEL')
    callee.answer(cancel, 200)
    callee.answer(invite, 487)
    await callee.request('ACK')
  })
})

test('two phones of one user ring; the first answer takes the call, the other gets CANCEL', async () => {
  await bed.document(dialWhatWasDialled)
  const [amina, baraka] = [await bed.user(), await bed.user()]
  const again = await bed.token(baraka.user)
  await withPhones([amina, baraka, { desk: again }], async (caller, laptop, desk) => {
    await desk.register()
    await laptop.register()
    const port = await freePort()
    const call = caller.begin('INVITE', { to: baraka.extension, sdp: plainSdp(port) })
    const [first, second] = [await laptop.incoming(), await desk.incoming()]
    laptop.answer(first, 180)
    desk.answer(second, 180)
    desk.answer(second, 200, { sdp: plainSdp(port + 2) })
    assert.is((await call.final()).status, 200)
    call.acknowledge()
    const cancel = await laptop.request('CANCEL')
    laptop.answer(cancel, 200)
    laptop.answer(first, 487)
    await call.bye()
    desk.answer(await desk.request('BYE'), 200)
  })
})

test('originate to an extension rings the phone, which then talks to the document', async () => {
  const baraka = await bed.user()
  await withPhones([baraka], async phone => {
    await phone.register()
    const placed = await bed.sauti.calls.originate({
      accountId: bed.account,
      to: baraka.extension,
      from: bed.number,
      url: 'http://127.0.0.1:9/none',
    })
    if (!placed.ok) throw new Error(placed.sentence)
    const invite = await phone.incoming()
    assert.match(headerOf(invite, 'From') ?? '', /<sip:%2B254700000001@|<sip:\+254700000001@/)
    phone.answer(invite, 603)
    assert.is((await ended(placed.call.uuid)).reasonCode, 'END.0603')
  })
})

test('From is the token’s extension, whatever is written', async () => {
  await bed.document('<Response><Hangup reason="busy"/></Response>')
  const user = await bed.user()
  const phone = await phoneOf(user, { pretends: '+254799999999' })
  const { final } = await phone.ask('INVITE', { to: '+254722222222', sdp: plainSdp(40_000) })
  assert.is(final.status, 486)
  assert.is((await newest()).fromNumber, bed.number)
  phone.close()
  await idle()
})

test('what is refused says why, in status, code and Reason', async () => {
  await bed.document('<Response><Pause length="60"/></Response>')
  const { accounts } = bed.sauti.repositories
  const user = await bed.user()
  await withPhones([user], async phone => {
    const place = (to = '+254722222222') => phone.ask('INVITE', { to, sdp: plainSdp(40_000) })
    await accounts.change(bed.account, { status: 'suspended' })
    assert.equal(words((await place()).final), [403, 'END.4403', '57'])
    await accounts.change(bed.account, { status: 'active', maxConcurrentCalls: 1 })
    const live = phone.begin('INVITE', { to: '+254722222222', sdp: plainSdp(40_000) })
    await live.ringing()
    const capped = (await place()).final
    assert.equal(words(capped), [503, 'END.4429', '42'])
    assert.is(headerOf(capped, 'Retry-After'), '1')
    await accounts.change(bed.account, { maxConcurrentCalls: 50 })
    assert.equal(words((await place()).final), [486, 'END.0486', '17'])
    live.cancel()
    await live.final()
    await idle()
    await bed.sauti.repositories.webhookSettings.change(bed.account, {
      endpoint: { purpose: 'voice_outbound', url: '' },
    })
    assert.equal(words((await place()).final), [404, 'END.3404', '1'])
    assert.equal(
      words(
        (await phone.ask('INVITE', { to: '+254722222222', headers: [`X-Service-Custom-Payload: ${'x'.repeat(501)}`] }))
          .final,
      ),
      [400, 'END.0400', '127'],
    )
  })
})

test('revoked: no longer registered, new calls refused at once, the live call goes on', async () => {
  await bed.document('<Response><Play asset="tone" loop="0"/></Response>')
  const user = await bed.user({ maxConcurrent: 2 })
  await withPhones([user], async phone => {
    await phone.register()
    const call = phone.begin('INVITE', { to: '+254722222222', sdp: plainSdp(40_000) })
    assert.is((await call.final()).status, 200)
    call.acknowledge()
    await bed.sauti.repositories.phoneTokens.revoke(bed.account, user.tokenUuid, Date.now())
    assert.is(bed.sauti.isRegistered(user.user.uuid), false)
    const refused = await phone.ask('INVITE', { to: '+254722222222', sdp: plainSdp(40_002) })
    assert.equal(words(refused.final), [403, 'END.0403', '57'])
    assert.is((await phone.register()).status, 403)
    assert.is(bed.sauti.calls.live().length, 1)
    assert.is((await call.bye()).status, 200)
  })
})

test('the WebSocket is cut during a call: the phone reconnects, and gets the BYE over the new connection', async () => {
  await bed.document('<Response><Play asset="tone" loop="0"/></Response>')
  const user = await bed.user()
  await withPhones([user], async phone => {
    await phone.register()
    const call = phone.begin('INVITE', { to: '+254722222222', sdp: plainSdp(40_000) })
    assert.is((await call.final()).status, 200)
    call.acknowledge()
    await phone.reconnect(bed.url)
    assert.is((await phone.register()).status, 200)
    const [live] = bed.sauti.calls.live()
    const over = bed.sauti.calls.hangup(bed.account, live?.call.sid ?? '')
    phone.answer(await phone.request('BYE'), 200)
    assert.is((await over)?.reasonCode, 'END.0201')
  })
})

test.run()
