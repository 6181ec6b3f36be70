import { RtpHeader, RtpPacket, SrtpSession } from 'werift'
import { writeHeader } from '../rtp/packet/header.ts'
import { type SrtpKeys, type SrtpProfile, srtpFacts } from '../rtp/srtp/profile.ts'
import { SrtpReceiver } from '../rtp/srtp/srtp-receiver.ts'
import { SrtpSender } from '../rtp/srtp/srtp-sender.ts'
import { type Figure, ratioOf } from './report.ts'

// Question: what does it cost to protect and to open a 20 ms packet of G.711, against werift's SRTP?

const payloadLength = 160
const packets = 500
const profiles: readonly SrtpProfile[] = ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM']

interface Costs {
  seal: number[]
  open: number[]
}

export async function run(short: boolean): Promise<Figure[]> {
  const rounds = short ? 30 : 200
  const figures: Omit<Figure, 'ratio'>[] = []
  for (const profile of profiles) {
    const ours: Costs = { seal: [], open: [] }
    const theirs: Costs = { seal: [], open: [] }
    // Round by round in turn, so that the machine's moods meet both.
    const [runOurs, runTheirs] = [oursOf(profile), weriftOf(profile)]
    for (let round = 0; round < rounds; round++) {
      runOurs(round, ours)
      runTheirs(round, theirs)
    }
    for (const [what, direction] of [
      ['protected', 'seal'],
      ['opened', 'open'],
    ] as const) {
      figures.push({
        what: `20 ms packet ${what}, ${profile}`,
        value: median(ours[direction]),
        unit: 'µs',
        baseline: median(theirs[direction]),
        of: 'werift 0.25.2',
      })
    }
  }
  return figures.map(figure => ({ ...figure, ratio: ratioOf(figure) }))
}

const keysOf = (profile: SrtpProfile): SrtpKeys => ({
  profile,
  key: new Uint8Array(srtpFacts[profile].keyLength).fill(7),
  salt: new Uint8Array(srtpFacts[profile].saltLength).fill(9),
})

const oursOf = (profile: SrtpProfile) => {
  const sender = new SrtpSender(keysOf(profile))
  const receiver = new SrtpReceiver(keysOf(profile))
  const slots = Array.from({ length: packets }, () => new Uint8Array(2048))
  const lengths = new Uint16Array(packets)
  return (round: number, costs: Costs): void => {
    slots.forEach((slot, i) => {
      writeHeader(slot, { ...fieldsOf(round, i) })
    })
    costs.seal.push(
      timed(i => {
        lengths[i] = sender.sealRtp(slots[i]!, 12 + payloadLength)
      }),
    )
    costs.open.push(
      timed(i => {
        if (receiver.openRtp(slots[i]!, lengths[i]!) < 0) throw new Error('not opened')
      }),
    )
  }
}

const weriftOf = (profile: SrtpProfile) => {
  const { key, salt } = keysOf(profile)
  const keys = {
    localMasterKey: Buffer.from(key),
    localMasterSalt: Buffer.from(salt),
    remoteMasterKey: Buffer.from(key),
    remoteMasterSalt: Buffer.from(salt),
  }
  const session = new SrtpSession({ keys, profile: profile === 'AEAD_AES_128_GCM' ? 7 : 1 })
  const payload = Buffer.alloc(payloadLength, 1)
  const sealed: Buffer[] = []
  return (round: number, costs: Costs): void => {
    const plain = Array.from({ length: packets }, (_, i) => {
      const { sequence, ...fields } = fieldsOf(round, i)
      return new RtpPacket(new RtpHeader({ ...fields, sequenceNumber: sequence }), payload)
    })
    costs.seal.push(
      timed(i => {
        sealed[i] = session.encrypt(plain[i]!.payload, plain[i]!.header)
      }),
    )
    costs.open.push(timed(i => void session.decrypt(sealed[i]!)))
  }
}

const fieldsOf = (round: number, i: number) => {
  const sequence = (round * packets + i) & 0xffff
  return { payloadType: 0, marker: false, sequence, timestamp: (round * packets + i) * payloadLength, ssrc: 5 }
}

/** µs a packet. */
const timed = (each: (i: number) => void): number => {
  const began = performance.now()
  for (let i = 0; i < packets; i++) each(i)
  return ((performance.now() - began) * 1000) / packets
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0
