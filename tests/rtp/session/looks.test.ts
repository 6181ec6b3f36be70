import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { MediaSession } from '../../../rtp/session/media-session.ts'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'

test('a quiet session is visited when a report, figures or the remote are due, not in between', () => {
  const visited = MediaSession.prototype.tick
  let visits = 0
  MediaSession.prototype.tick = function (now) {
    visits++
    visited.call(this, now)
  }
  try {
    const media = new VirtualMedia({ timeoutMs: 60_000 })
    const a = new VirtualPeer(media, 'a', 4000).open()
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
    let n = 0
    const seconds = 30
    media.run(seconds * 1000, now => {
      if (now % 20 === 0) a.say(frame(n++))
    })
    assert.ok(visits >= seconds, `${visits}: the remote is looked for`)
    assert.ok(visits <= 4 * seconds, `${visits} visits in ${seconds} s`)
    assert.ok(media.reported.length >= seconds / 5 - 1, `${media.reported.length} times figures`)
  } finally {
    MediaSession.prototype.tick = visited
  }
})

test.run()
