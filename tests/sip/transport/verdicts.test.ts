import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SipSignaling } from '../../../core/adapters/signaling/index.ts'
import { silentLog } from '../../../core/adapters/system/silent-log.ts'
import { systemClock, systemRandom } from '../../../core/adapters/system/system-clock.ts'
import { defaultSettings } from '../../../core/model/settings.ts'
import { type Input, type InputSet, input, inputs, ownInputs } from '../../fixtures/inputs.ts'
import { trunk } from '../../rig/beds/trunk.ts'

/**
 * What the running stack says to each message when it comes from a trunk's address: the final status, or `none`.
 * 480 is what this test's switch answers to every call that it is offered.
 */
const verdicts: Readonly<Partial<Record<InputSet, Readonly<Record<string, readonly (number | 'none')[]>>>>> = {
  rfc4475: {
    // Its To has a tag, and no such dialog stands: 481 is the policy of a UAS for it, and never 400.
    'wsinv.dat': [481],
    'intmeth.dat': [501],
    'esc01.dat': [480],
    'esc02.dat': [501],
    'lwsdisp.dat': [200],
    'longreq.dat': [480],
    'semiuri.dat': [200],
    'unreason.dat': ['none'],
    'noreason.dat': ['none'],
    'badinv01.dat': [400],
    'clerr.dat': [400],
    'scalar02.dat': [400],
    'ltgtruri.dat': [400],
    'lwsruri.dat': [400],
    'trws.dat': [200, 400],
    'escruri.dat': [400],
    'baddate.dat': [480],
    'badaspec.dat': [400],
    'baddn.dat': [400],
    'badvers.dat': [505],
    'mismatch01.dat': [400],
    'mismatch02.dat': [501],
    'badbranch.dat': [400],
    'insuf.dat': [400],
    'unkscm.dat': [416],
    'novelsc.dat': [416],
    'bext01.dat': [420],
    'invut.dat': [415],
    'regaut01.dat': [401],
    'mcl01.dat': [400],
    'zeromf.dat': [200],
    'cparam01.dat': [401],
    'regescrt.dat': [401],
    'sdp01.dat': [406],
  },
  rfc5118: {
    'ipv6-good.dat': [401],
    'ipv6-bad.dat': [400],
    'port-unambiguous.dat': [401],
    'via-received-param-with-delim.dat': [481],
    'ipv6-in-sdp.dat': [480],
    'mult-ip-in-header.dat': [481],
    'ipv6-bug-abnf-3-colons.dat': [400],
    'ipv6-correct-abnf-2-colons.dat': [200],
  },
  'unauthorized-methods': {
    'INVITE.dat': [480],
    'REGISTER.dat': [401],
    'MESSAGE.dat': [405],
    'PUBLISH.dat': [405],
    'REFER.dat': [405],
    'NOTIFY.dat': [481],
    'PRACK.dat': [481],
    'BYE.dat': [481],
    'CANCEL.dat': [481],
    'OPTIONS.dat': [200],
    'FOO.dat': [501],
  },
}

/** Attacks on parsers: whatever is said, it is a final answer, and the next call works. */
const anyAnswer: Readonly<Partial<Record<InputSet, readonly number[]>>> = {
  advisories: [400, 401, 405, 415, 480, 488],
  'toll-fraud': [400, 404, 416, 480],
  'sdp-attacks': [400, 413, 480, 488, 513],
}

async function open() {
  const offers: string[] = []
  const signaling = await SipSignaling.open({
    settings: {
      ...defaultSettings,
      sip: {
        realm: 'sauti.test',
        listeners: [
          { transport: 'udp', address: '127.0.0.1', port: 0 },
          { transport: 'tcp', address: '127.0.0.1', port: 0 },
        ],
      },
    },
    trunks: () => [trunk('trunk', { inboundHosts: ['127.0.0.1'] })],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    emit(event) {
      if (event.type !== 'leg.offered') return
      offers.push(event.to)
      signaling.execute({ type: 'leg.end', legId: event.legId, reason: 'END.0480' })
    },
  })
  const [udp, tcp] = signaling.listeners().map(entry => entry.port)
  return { signaling, offers, ports: { udp: udp ?? 0, tcp: tcp ?? 0 } }
}

/** A socket of the peer: sends, and gathers what comes back. */
async function peer(transport: 'udp' | 'tcp', port: number) {
  let received = ''
  const finals = () => [...received.matchAll(/^SIP\/2\.0 ([2-6]\d\d)/gm)].map(match => Number(match[1]))
  const until = async (count: number, ms: number) => {
    const end = performance.now() + ms
    while (finals().length < count && performance.now() < end) await new Promise(resolve => setTimeout(resolve, 1))
    return finals()
  }
  if (transport === 'udp') {
    const socket = createSocket('udp4')
    socket.on('message', bytes => {
      received += bytes.toString()
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const send = (bytes: Uint8Array) => socket.send(bytes, port, '127.0.0.1')
    return { until, send, close: () => socket.close(), text: () => received }
  }
  const socket = connect(port, '127.0.0.1')
  socket.on('data', bytes => {
    received += bytes.toString()
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return {
    until,
    send: (bytes: Uint8Array) => socket.write(bytes),
    close: () => socket.destroy(),
    text: () => received,
  }
}

const goodCall = (transport: 'udp' | 'tcp') =>
  new TextEncoder().encode(
    [
      'INVITE sip:+254700000009@127.0.0.1 SIP/2.0',
      `Via: SIP/2.0/${transport.toUpperCase()} 127.0.0.1:5099;branch=z9hG4bKgood${randomUUID()};rport`,
      'Max-Forwards: 70',
      'From: <sip:+254711000009@127.0.0.1>;tag=good',
      'To: <sip:+254700000009@127.0.0.1>',
      `Call-ID: ${randomUUID()}`,
      'CSeq: 1 INVITE',
      'Contact: <sip:good@127.0.0.1:5099>',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  )

/** Some silences are the right answer; this is how long a test listens for one. */
const silenceMs = 60

async function verdictOf({ name, bytes }: Input, transport: 'udp' | 'tcp', mayBeSilent: boolean) {
  const { signaling, offers, ports } = await open()
  const socket = await peer(transport, ports[transport])
  try {
    socket.send(bytes)
    const [status = 'none'] = await socket.until(1, mayBeSilent ? silenceMs : 2000)
    const before = offers.length
    const good = await peer(transport, ports[transport])
    good.send(goodCall(transport))
    const [after] = await good.until(1, 2000)
    good.close()
    assert.is(after, 480, `${name} over ${transport}: a good call after it`)
    assert.is(offers.length, before + 1, `${name}: the good call was offered`)
    return { status, text: socket.text() }
  } finally {
    socket.close()
    await signaling.close()
  }
}

for (const [set, files] of Object.entries(verdicts)) {
  test(`${set}: each message gets its verdict over UDP and TCP, and a good call works after it`, async () => {
    assert.equal(
      ownInputs(set as InputSet).map(({ name }) => name),
      Object.keys(files).map(file => `${set}/${file}`),
      'every message has its verdict here',
    )
    for (const [file, wanted] of Object.entries(files)) {
      const message = { name: file, bytes: input(set as InputSet, file) }
      for (const transport of ['udp', 'tcp'] as const) {
        // RFC 4475 §3.1.2.2: over a stream the missing octets may still come, so it waits.
        const expected = file === 'clerr.dat' && transport === 'tcp' ? ['none'] : wanted
        const { status, text } = await verdictOf(message, transport, expected.includes('none'))
        assert.ok((expected as readonly unknown[]).includes(status), `${file} over ${transport}: ${status}`)
        if (status === 420) assert.match(text, /Unsupported: nothingSupportsThis, nothingSupportsThisEither/)
        if (status === 415) assert.match(text, /Accept: application\/sdp/)
        if (status === 405) assert.match(text, /Allow: INVITE/)
        if (status === 401) assert.match(text, /WWW-Authenticate: Digest realm="sauti\.test"/)
        if (status === 501) assert.match(text, /Allow: INVITE/)
      }
    }
  })
}

for (const [set, allowed] of Object.entries(anyAnswer)) {
  test(`${set}: answered in time over UDP and TCP, and a good call works after it`, async () => {
    for (const message of inputs(set as InputSet)) {
      for (const transport of ['udp', 'tcp'] as const) {
        const { status } = await verdictOf(message, transport, false)
        assert.ok(
          typeof status === 'number' && allowed.includes(status),
          `${message.name} over ${transport}: ${status}`,
        )
      }
    }
  })
}

test('an answer to OPTIONS of an unknown source is at most three times as long as the request', async () => {
  const { signaling, ports } = await open()
  const socket = await peer('udp', ports.udp)
  try {
    const question = input('unauthorized-methods', 'OPTIONS.dat')
    socket.send(question)
    await socket.until(1, 1000)
    assert.ok(socket.text().length > 0 && socket.text().length <= 3 * question.length)
  } finally {
    socket.close()
    await signaling.close()
  }
})

test.run()
