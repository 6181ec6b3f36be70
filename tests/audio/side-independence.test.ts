import { test } from 'uvu'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { conversation, Talker, talks } from '../rtp/bed/talker.ts'
import { type Allowed, Caller, judge } from './burst-caller.ts'

// What one remote does to its stream, and how little of it the other one notices: numbers without a hole, times that go
// with the clock, sound that comes as soon as before.

interface Row {
  readonly name: string
  readonly run: (caller: Caller) => void
  readonly allowed?: (to: AudioCodecName) => Allowed
  /** Only between these. */
  readonly only?: (from: AudioCodecName, to: AudioCodecName) => boolean
}

const callAs = (session: 'a' | 'b', codec: AudioCodecName, changes: Partial<Agreement> = {}) => ({
  type: 'agree' as const,
  session,
  agreement: agreed(session === 'a' ? 4000 : 5000, { ...talks(codec), ...changes }),
  talk: false,
})

const rows: readonly Row[] = [
  { name: 'nothing', run: () => {} },
  {
    name: 'another SSRC, with numbers and times of its own',
    run: ({ talk: { one } }) => {
      one.peer.ssrc = 0x1234_5678
      one.peer.sequence = 77
      one.peer.timestamp = 1_000_000
    },
  },
  {
    name: 'a jump of the numbers ahead',
    run: ({ talk: { one } }) => {
      one.peer.sequence = (one.peer.sequence + 12_000) & 0xffff
    },
  },
  {
    name: 'a jump of the numbers back',
    run: ({ talk: { one } }) => {
      one.peer.sequence = (one.peer.sequence - 9000) & 0xffff
    },
  },
  {
    name: 'a jump of the times ahead by an hour',
    run: ({ talk: { one } }) => {
      one.peer.timestamp = (one.peer.timestamp + 3600 * codecFacts[one.codec].clockRate) >>> 0
    },
  },
  {
    name: 'a jump of the times back by a second',
    run: ({ talk: { one } }) => {
      one.peer.timestamp = (one.peer.timestamp - codecFacts[one.codec].clockRate) >>> 0
    },
  },
  {
    name: 'a jump of the times ahead by two seconds, without a pause',
    run: ({ talk: { one } }) => {
      one.peer.timestamp = (one.peer.timestamp + 2 * codecFacts[one.codec].clockRate) >>> 0
    },
  },
  {
    name: 'a pause of three seconds, its time counted (silence suppression)',
    run: caller => {
      caller.isSilent = true
      caller.run(3000)
      caller.isSilent = false
    },
    allowed: () => ({ pauseMs: 520 }),
  },
  {
    name: 'a pause of three seconds that its times do not count',
    run: caller => {
      caller.isSilent = true
      caller.rtpTimeStands = true
      caller.run(3000)
      caller.isSilent = false
    },
    allowed: () => ({ pauseMs: 520 }),
  },
  {
    name: 'pauses with comfort noise (RFC 3389)',
    run: caller => {
      const { one } = caller.talk
      for (let n = 0; n < 3; n++) {
        caller.isSilent = true
        caller.run(1400, now => {
          if (now % 200 !== 0) return
          const { timestamp } = one.peer
          one.peer.say(Uint8Array.of(60), { payloadType: 13 })
          one.peer.timestamp = timestamp
        })
        caller.isSilent = false
        caller.run(600)
      }
    },
    allowed: () => ({ pauseMs: 520 }),
    only: from => from === 'PCMU' || from === 'PCMA',
  },
  {
    name: 'short pauses without comfort noise, one after the other',
    run: caller => {
      for (let n = 0; n < 8; n++) {
        caller.isSilent = true
        caller.run(240)
        caller.isSilent = false
        caller.run(260)
      }
    },
    allowed: () => ({ pauseMs: 260 }),
  },
  {
    name: 'hold and back (sendonly, sendrecv)',
    run: caller => {
      const { media, one, two } = caller.talk
      caller.isSilent = true
      media.do(callAs('a', one.codec, { receive: false }))
      caller.run(2000)
      media.do(callAs('b', two.codec))
      media.do(callAs('a', one.codec))
      caller.isSilent = false
    },
    allowed: () => ({ pauseMs: 520 }),
  },
  {
    name: 'a re-INVITE that changes nothing, while it speaks',
    run: caller => {
      const { media, one, two } = caller.talk
      media.do(callAs('a', one.codec))
      caller.run(200)
      media.do(callAs('b', two.codec))
    },
    allowed: () => ({ missing: 1 }),
  },
  {
    name: 'a re-INVITE to another codec',
    run: caller => {
      const { media, one, opus } = caller.talk
      media.do(callAs('a', 'G722'))
      caller.one = new Talker(one.peer, 'G722', opus)
    },
    // From packets that are passed on to sound that is coded again, or back.
    allowed: () => ({ pauseMs: 60, delayMs: 85 }),
  },
  {
    name: 'loss of a tenth, for three seconds',
    run: caller => {
      caller.lossShare = 0.1
      caller.run(3000)
      caller.lossShare = 0
    },
    allowed: () => ({ pauseMs: 60, missing: 2 }),
  },
]

const ways = [
  ['PCMU', 'PCMU'],
  ['PCMU', 'PCMA'],
  ['PCMU', 'opus'],
  ['opus', 'PCMU'],
  ['opus', 'opus'],
  ['G722', 'PCMA'],
] as const satisfies readonly (readonly [AudioCodecName, AudioCodecName])[]

for (const [from, to] of ways) {
  for (const row of rows) {
    if (row.only?.(from, to) === false) continue
    // Losses are passed on as they are where packets are.
    if (row.name.startsWith('loss') && (from === to || (from === 'PCMU' && to === 'PCMA'))) continue
    test(`${from} to ${to}, the caller makes ${row.name}: the other side's stream continues unchanged`, async () => {
      const noise = { sendNoise: undefined, acceptNoise: 13 } as unknown as Partial<Agreement>
      const talk = await conversation(from, to, {}, noise)
      const caller = new Caller(talk)
      caller.run(1600)
      row.run(caller)
      const since = talk.media.now
      caller.run(3200)
      judge(caller, since, row.allowed?.(to))
      talk.media.do({ type: 'close', session: 'a' })
      talk.media.do({ type: 'close', session: 'b' })
      talk.opus.close()
    })
  }
}

test.run()
