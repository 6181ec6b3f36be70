import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { bridged } from '../bed/virtual-peer.ts'

for (const afterMs of [0, 5, 10, 15]) {
  test(`no frame is made of samples of the codec before: G.722 becomes PCMU ${afterMs} ms after the other leg's packet`, () => {
    const wide = { codec: 'G722', payloadType: 9, accept: [{ payloadType: 9, codec: 'G722' }] } as const
    const { media, a, b } = bridged({}, wide)
    let n = 0
    const say = (now: number) => {
      if (now % 20 === 0) a.say(frame(n++, 160))
      if (now % 20 === 10) b.say(frame(n, 160), { payloadType: n < 30 ? 9 : 0 })
    }
    media.run(600 + afterMs, say)
    assert.ok(b.received().some(packet => packet.payloadType === 9))
    media.do({ type: 'agree', session: 'b', agreement: agreed(5000), talk: true })
    media.run(400, say)
    const plain = b.received().filter(packet => packet.payloadType === 0)
    assert.ok(plain.length > 15)
    for (const { payload } of plain) assert.is(payload.length, 160)
  })
}

test.run()
