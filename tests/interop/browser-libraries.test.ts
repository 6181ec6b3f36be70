import JsSIP from 'jssip'
import {
  Inviter,
  Registerer,
  RegistererState,
  type Session,
  type SessionDescriptionHandler,
  SessionState,
  UserAgent,
} from 'sip.js'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PhoneSwitch, type SignedUser } from '../rig/peers/phone-switch.ts'
import { plainSdp } from '../rig/peers/ws-phone.ts'
import { until } from '../rig/probes/wait.ts'

// The libraries of browsers as they are, in Node: registering, being called, refusing and being refused. Their media
// needs a browser, so nothing here is answered.

// JsSIP asks the window for its timers, and takes no call where there is no WebRTC.
Object.assign(globalThis, { window: globalThis, RTCPeerConnection: class {} })

const bed = await PhoneSwitch.open()
const busy = '<Response><Hangup reason="busy"/></Response>'

function jssipOf(user: SignedUser, password = user.token) {
  JsSIP.debug.disable()
  return new JsSIP.UA({
    sockets: [new JsSIP.WebSocketInterface(bed.url)],
    uri: `sip:${user.extension}@localhost`,
    password,
    register: true,
    register_expires: 120,
  })
}

const event = <T>(emitter: object, name: string): Promise<T> =>
  new Promise(resolve => {
    ;(emitter as { once(name: string, listener: (data: T) => void): void }).once(name, resolve)
  })

test('JsSIP registers by digest, refuses a call with 486, and unregisters', async () => {
  const user = await bed.user()
  const phone = jssipOf(user)
  const registered = event(phone, 'registered')
  phone.start()
  await registered
  assert.is(bed.sauti.isRegistered(user.user.uuid), true)
  const incoming = event<{ session: { terminate(how: object): void; remote_identity: { uri: { user: string } } } }>(
    phone,
    'newRTCSession',
  )
  const placed = await bed.sauti.calls.originate({
    accountId: bed.account,
    to: user.extension,
    from: bed.number,
    url: 'http://127.0.0.1:9/none',
  })
  assert.ok(placed.ok)
  const { session } = await incoming
  assert.is(session.remote_identity.uri.user, bed.number)
  session.terminate({ status_code: 486 })
  const row = await until('the end of the call', async () => {
    const { calls } = await bed.sauti.calls.list(bed.account, { limit: 1, offset: 0 })
    return calls[0]?.endedUnix === null ? undefined : calls[0]
  })
  assert.is(row.reasonCode, 'END.0486')
  const unregistered = event(phone, 'unregistered')
  phone.unregister()
  await unregistered
  assert.is(bed.sauti.isRegistered(user.user.uuid), false)
  phone.stop()
})

test('JsSIP gets the reason for a wrong password and for a revoked token', async () => {
  const user = await bed.user()
  const wrong = jssipOf(user, 'not the token')
  const failed = event<{ cause: string; response: { status_code: number } }>(wrong, 'registrationFailed')
  wrong.start()
  assert.is((await failed).response.status_code, 401)
  wrong.stop()
  await bed.sauti.repositories.phoneTokens.revoke(bed.account, user.tokenUuid, Date.now())
  const revoked = jssipOf(user)
  const refused = event<{ response: { status_code: number } }>(revoked, 'registrationFailed')
  revoked.start()
  assert.is((await refused).response.status_code, 403)
  revoked.stop()
})

/** A session description that no browser has made. */
const plainHandler = (): SessionDescriptionHandler => ({
  close() {},
  getDescription: async () => ({ body: plainSdp(40_000), contentType: 'application/sdp' }),
  hasDescription: contentType => contentType === 'application/sdp',
  rollbackDescription: async () => {},
  setDescription: async () => {},
  sendDtmf: () => false,
})

const sipjsOf = (user: SignedUser, onInvite: (session: { reject(how: object): Promise<void> }) => void = () => {}) => {
  const uri = UserAgent.makeURI(`sip:${user.extension}@localhost`)
  if (uri === undefined) throw new Error('no URI')
  return new UserAgent({
    uri,
    authorizationUsername: user.extension,
    authorizationPassword: user.token,
    transportOptions: { server: bed.url },
    sessionDescriptionHandlerFactory: plainHandler,
    logBuiltinEnabled: false,
    delegate: { onInvite },
  })
}

const stateOf = async (session: Session, wanted: SessionState): Promise<void> => {
  await until(`the session ${wanted}`, () => session.state === wanted)
}

test('SIP.js registers, places a call, gets the reason of a refusal, and refuses a call', async () => {
  await bed.document(busy)
  const user = await bed.user()
  let rejected = 0
  const agent = sipjsOf(user, session => {
    rejected++
    void session.reject({ statusCode: 486 })
  })
  await agent.start()
  const registerer = new Registerer(agent, { expires: 120 })
  await registerer.register()
  await until('the registration', () => registerer.state === RegistererState.Registered)
  assert.is(bed.sauti.isRegistered(user.user.uuid), true)

  const target = UserAgent.makeURI('sip:+254722222222@localhost')
  if (target === undefined) throw new Error('no URI')
  const inviter = new Inviter(agent, target, { extraHeaders: ['X-Service-Custom-Payload: {"order":7}'] })
  let status = 0
  await inviter.invite({
    requestDelegate: {
      onReject: ({ message }) => {
        status = message.statusCode ?? 0
      },
    },
  })
  await stateOf(inviter, SessionState.Terminated)
  assert.is(status, 486)
  const { calls } = await bed.sauti.calls.list(bed.account, { limit: 1, offset: 0 })
  assert.equal(calls[0]?.customPayload, { order: 7 })

  const placed = await bed.sauti.calls.originate({
    accountId: bed.account,
    to: user.extension,
    from: bed.number,
    url: 'http://127.0.0.1:9/none',
  })
  assert.ok(placed.ok)
  await until('the refusal', () => rejected === 1)
  await registerer.unregister()
  await until('the end of the registration', () => !bed.sauti.isRegistered(user.user.uuid))
  await agent.stop()
})

test('SIP.js cancels a call that rings', async () => {
  await bed.document('<Response><Pause length="60"/></Response>')
  const user = await bed.user()
  const agent = sipjsOf(user)
  await agent.start()
  const target = UserAgent.makeURI('sip:+254722222222@localhost')
  if (target === undefined) throw new Error('no URI')
  const inviter = new Inviter(agent, target)
  let rings = 0
  await inviter.invite({ requestDelegate: { onProgress: () => rings++ } })
  await until('ringing', () => rings > 0)
  await inviter.cancel()
  await stateOf(inviter, SessionState.Terminated)
  await until('the end of the call', () => bed.sauti.calls.live().length === 0)
  await agent.stop()
})

test.after(async () => {
  await bed.close()
  // The libraries leave timers of half a minute.
  setTimeout(() => process.exit(), 200)
})
test.run()
