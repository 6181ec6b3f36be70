import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import { silenceInto } from '../../rtp/codec/silence.ts'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import type { Agreement } from '../../rtp/engine/command.ts'
import { levelOf } from '../../rtp/index.ts'
import { seeded } from '../rig/seeded.ts'
import { agreed } from '../rtp/agreement.ts'
import { conversation, payloadTypes, Talker, talks } from '../rtp/talker.ts'

// What one far end does to its stream, and how little of it the other one notices: numbers without a hole, times that go
// with the clock, sound that comes as soon as before.

type Conversation = Awaited<ReturnType<typeof conversation>>

/** Speaks in bursts of 100 ms, two a second, by the wall clock: where each is heard tells how late. */
class Caller {
  readonly talk: Conversation
  /** Who speaks: another one after a change of codec. */
  one: Talker
  readonly #random = seeded(5)
  #frames = 0
  #burstAt = 0
  /** When bursts began. */
  readonly bursts: number[] = []
  /** Skips the frame in the caller's own time, without a packet. */
  isResting = false
  rtpTimeStands = false
  lossShare = 0
  readonly #silence = new Uint8Array(160)

  constructor(talk: Conversation) {
    this.talk = talk
    this.one = talk.one
    this.#silence = this.#silence.slice(0, silenceInto(this.#silence, 0, talk.two.codec, 20))
  }

  get #burst(): boolean {
    return this.talk.media.now % 500 < 100
  }

  run(ms: number, each?: (now: number) => void): void {
    const { media, two } = this.talk
    const { one } = this
    media.run(ms, now => {
      if (now % 20 !== 0) return
      each?.(now)
      two.say(this.#silence)
      this.#frames++
      const { peer } = one
      const { timestamp } = peer
      if (!this.isResting) {
        if (this.#burst && now - this.#burstAt > 200) {
          this.bursts.push(now)
          this.#burstAt = now
        }
        one.say(one.frame(this.#sound(), 0), this.#random() < this.lossShare)
      } else if (!this.rtpTimeStands) {
        peer.timestamp = (timestamp + codecFacts[one.codec].clockRate / 50) >>> 0
      }
    })
  }

  #sound(): Int16Array {
    const count = this.one.rate / 50
    const level = this.#burst ? 9000 : 0
    const from = this.#frames * count
    return Int16Array.from({ length: count }, (_, i) =>
      Math.round(level * Math.sin((2 * Math.PI * 700 * (from + i)) / this.one.rate)),
    )
  }
}

interface HeardBurst {
  readonly at: number
  readonly lateMs: number
}

/** Where the bursts are in what is heard: each packet's sound begins when it arrives. */
const burstsIn = (talker: Talker, said: readonly number[], coders: Conversation['opus']): HeardBurst[] => {
  const { peer, codec, rate } = talker
  const decoder = new StreamDecoder(rate, coders)
  const pcm = new Int16Array(rate)
  const found: HeardBurst[] = []
  let wasLoud = false
  let lastLoud = -1000
  for (const packet of peer.heard()) {
    if (packet.payloadType !== payloadTypes[codec]) continue
    const count = decoder.frameInto(pcm, 0, codec, packet.payload, 0, packet.payload.length, false)
    const step = rate / 200
    for (let from = 0; from + step <= count; from += step) {
      const at = packet.at + (1000 * from) / rate
      const isLoud = levelOf(pcm, from, step) > -20
      if (isLoud && !wasLoud && at - lastLoud > 150) {
        const begun = said.findLast(one => one <= at)
        if (begun !== undefined) found.push({ at, lateMs: at - begun })
      }
      if (isLoud) lastLoud = at
      wasLoud = isLoud
    }
  }
  decoder.free()
  return found
}

interface Allowed {
  /** Pauses in which nothing need be sent, ms. Default one frame. */
  readonly pauseMs?: number
  /** Bursts that may be missing. Default 1. */
  readonly missing?: number
  /** The stream may go on as another source, once. */
  readonly renews?: boolean
  /** So much later, or sooner, may it be heard. Default 45. */
  readonly delayMs?: number
}

const judge = (caller: Caller, from: number, allowed: Allowed = {}) => {
  const { two } = caller.talk
  const { pauseMs = 20, missing = 1, renews = false, delayMs = 45 } = allowed
  const packets = two.peer.heard().filter(packet => packet.payloadType === payloadTypes[two.codec])
  let renewed = 0
  for (const [n, packet] of packets.entries()) {
    const before = packets[n - 1]
    if (before === undefined) continue
    const where = `packet ${n} at ${packet.at}`
    if (packet.ssrc !== before.ssrc) {
      renewed++
      continue
    }
    assert.is(packet.sequence, (before.sequence + 1) & 0xffff, `${where}: number`)
    const passedMs = ((packet.timestamp - before.timestamp) >>> 0) / (codecFacts[two.codec].clockRate / 1000)
    const wallMs = packet.at - before.at
    assert.ok(passedMs > 0 && passedMs <= pauseMs + 60, `${where}: ${passedMs} ms of time`)
    assert.ok(wallMs <= pauseMs + 40, `${where}: ${wallMs} ms after the one before`)
  }
  assert.is(renewed, renews ? 1 : 0, 'sources')
  // Over the whole, the stream's time has gone with the wall clock.
  const same = packets.filter(packet => packet.ssrc === packets.at(-1)?.ssrc)
  const [first, last] = [same[0], same.at(-1)]
  assert.ok(first && last)
  const streamMs = ((last.timestamp - first.timestamp) >>> 0) / (codecFacts[two.codec].clockRate / 1000)
  assert.ok(Math.abs(streamMs - (last.at - first.at)) <= 60, `${streamMs} ms of time in ${last.at - first.at} ms`)

  const heard = burstsIn(two, caller.bursts, caller.talk.opus)
  const before = heard.filter(({ at }) => at < from)
  const after = heard.filter(({ at }) => at >= from)
  const said = caller.bursts.filter(at => at >= from)
  const due = said.filter(at => at < caller.talk.media.now - 300)
  assert.ok(after.length >= due.length - missing, `${after.length} of ${due.length} bursts are heard`)
  assert.ok(after.length <= said.length, `${after.length} of ${said.length} bursts: something is there twice`)
  const lateness = (bursts: readonly HeardBurst[]) =>
    bursts.map(({ lateMs }) => lateMs).sort((a, b) => a - b)[bursts.length >> 1] ?? Number.NaN
  const settled = after.slice(2)
  const [was, is] = [lateness(before.slice(1)), lateness(settled)]
  assert.ok(Math.abs(is - was) <= delayMs, `${was} ms late before, ${is} ms after`)
}

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
      caller.isResting = true
      caller.run(3000)
      caller.isResting = false
    },
    allowed: () => ({ pauseMs: 520 }),
  },
  {
    name: 'a pause of three seconds that its times do not count',
    run: caller => {
      caller.isResting = true
      caller.rtpTimeStands = true
      caller.run(3000)
      caller.isResting = false
    },
    allowed: () => ({ pauseMs: 520 }),
  },
  {
    name: 'pauses with comfort noise (RFC 3389)',
    run: caller => {
      const { one } = caller.talk
      for (let n = 0; n < 3; n++) {
        caller.isResting = true
        caller.run(1400, now => {
          if (now % 200 !== 0) return
          const { timestamp } = one.peer
          one.peer.say(Uint8Array.of(60), { payloadType: 13 })
          one.peer.timestamp = timestamp
        })
        caller.isResting = false
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
        caller.isResting = true
        caller.run(240)
        caller.isResting = false
        caller.run(260)
      }
    },
    allowed: () => ({ pauseMs: 260 }),
  },
  {
    name: 'hold and back (sendonly, sendrecv)',
    run: caller => {
      const { media, one, two } = caller.talk
      caller.isResting = true
      media.do(callAs('a', one.codec, { receive: false }))
      caller.run(2000)
      media.do(callAs('b', two.codec))
      media.do(callAs('a', one.codec))
      caller.isResting = false
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
    // From packets that are passed on to sound that is coded anew, or back.
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
    test(`${from} to ${to}, the caller makes ${row.name}: the far side's stream goes on as it was`, async () => {
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
