import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opusWishesOf } from '../../../../core/adapters/media/opus-wishes.ts'

test('what a remote wishes of Opus, and what it leaves out (RFC 7587 §6.1)', () => {
  const none = { fec: false, dtx: false, maxBitrate: undefined }
  for (const [fmtp, wishes] of [
    [undefined, none],
    ['', none],
    ['minptime=10;useinbandfec=1', { ...none, fec: true }],
    ['useinbandfec=1; usedtx=1; maxaveragebitrate=16000', { fec: true, dtx: true, maxBitrate: 16_000 }],
    ['UseInbandFEC=1', { ...none, fec: true }],
    ['useinbandfec=0;usedtx=0', none],
    ['maxaveragebitrate=much;usedtx', none],
    ['maxaveragebitrate=-1', none],
    [';;=;useinbandfec', none],
  ] as const) {
    assert.equal(opusWishesOf(fmtp), wishes, fmtp ?? 'nothing')
  }
})

test.run()
