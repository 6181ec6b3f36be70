import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import { DigitReceiver } from '../../rtp/dtmf/digit-receiver.ts'
import { InbandDetector } from '../../rtp/dtmf/inband-detector.ts'
import type { Talker } from '../rtp/bed/talker.ts'
import type { VirtualPeer } from '../rtp/bed/virtual-peer.ts'

export const eventType = 101

/** How a remote sends digits, or wants them. */
export const noEvents: Partial<Agreement> = { sendEvents: undefined, acceptEvents: undefined }
export const withEvents = (codec: AudioCodecName): Partial<Agreement> => ({
  sendEvents: eventType,
  acceptEvents: eventType,
  eventClockRate: codecFacts[codec].clockRate,
})

/** The digits in telephone-events, and how long each lasted. */
export const eventsIn = (peer: VirtualPeer, clockRate: number) => {
  const receiver = new DigitReceiver({ clockRate })
  const pressed: { digit: string; durationMs: number }[] = []
  for (const { payloadType, payload, timestamp, marker, at } of peer.received()) {
    if (payloadType !== eventType) continue
    receiver.push(payload, 0, payload.length, timestamp, marker, at)
    for (let press = receiver.take(); press !== undefined; press = receiver.take()) pressed.push(press)
  }
  return pressed
}

/** The digits that a detector finds in the received audio. */
export const tonesIn = (talker: Talker) => {
  const pcm = talker.received()
  const detector = new InbandDetector(talker.rate)
  const pressed: { digit: string; durationMs: number }[] = []
  for (let at = 0; at < pcm.length; at += 160) {
    const press = detector.analyze(pcm, at, Math.min(160, pcm.length - at))
    if (press !== undefined) pressed.push(press)
  }
  return pressed
}

export const named = (presses: readonly { digit: string }[]) => presses.map(({ digit }) => digit).join('')

/** A packet of RFC 4733 §2.3. */
export const eventOf = (digit: string, isEnd: boolean, duration: number): Uint8Array =>
  Uint8Array.of('0123456789*#ABCD'.indexOf(digit), (isEnd ? 0x80 : 0) | 10, duration >> 8, duration & 0xff)
