import { isOpusDtx } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import { headerLength } from '../packet/header.ts'
import type { SendParts } from './frame-parts.ts'

/** Silence of the other leg after which we send our own; otherwise the remote would take us for gone. */
const relayIdleMs = 500

export type FrameSourceName = 'dtmf' | 'prompt' | 'bridge' | 'silence'

/** One source of what a leg's remote receives. */
interface FrameSource {
  readonly name: FrameSourceName
  /** The frame that is due now can be of this source. */
  hasFrame(parts: SendParts, now: number): boolean
  /** Makes the frame in `packet` and sends it; false: this one frame is left to the sources after it. */
  makeFrame(parts: SendParts, agreement: Agreement, packet: Uint8Array, now: number): boolean
  /** How it is printed; undefined: it takes no part for now. */
  describe(parts: SendParts, agreement: Agreement): string | undefined
}

/** Digits that we send, or that the other leg's remote sends while ours takes no telephone-events. */
const dtmf: FrameSource = {
  name: 'dtmf',
  hasFrame: ({ digits }) => digits.busy,
  makeFrame: (parts, agreement, packet, now) => {
    if (!makeDigit(parts, agreement, packet, now)) return false
    parts.transcoder.discard(parts.clock.frames.frameMs, now)
    return true
  },
  describe: () => 'dtmf',
}

const prompt: FrameSource = {
  name: 'prompt',
  hasFrame: ({ plays }) => plays.isPlaying,
  makeFrame: (parts, agreement, packet, now) => {
    const { plays, transcoder, clock } = parts
    const { frameMs, dueAt } = clock.frames
    const bytes = plays.frameInto(packet, agreement.codec, frameMs, dueAt, transcoder)
    sendAudio(parts, agreement, packet, bytes, true, now)
    return true
  },
  describe: () => 'prompt',
}

/** The other leg, or a room. What can be forwarded paces itself and comes by `BridgeSource`; the rest is encoded here. */
const bridge: FrameSource = {
  name: 'bridge',
  hasFrame: ({ state, transcoder }) => state.isTalking && state.isBridged && transcoder.hasAudio,
  makeFrame: (parts, agreement, packet, now) => {
    const { transcoder, clock } = parts
    // Nothing of the other leg is lost meanwhile: it is sent a frame later.
    if (!transcoder.isReady) return false
    const bytes = transcoder.frameInto(packet, headerLength, clock.frames.frameMs, now)
    // What the encoder would not send.
    const isDtx = agreement.codec === 'opus' && isOpusDtx(bytes)
    sendAudio(parts, agreement, packet, isDtx ? 0 : bytes, false, now)
    return true
  },
  describe: ({ state, transcoder }, { codec }) =>
    state.isBridged ? `bridge(${transcoder.isReading ? 'transcode' : 'forward'} ${codec})` : undefined,
}

const silence: FrameSource = {
  name: 'silence',
  hasFrame: (parts, now) => {
    const { state, forwarder } = parts
    if (!state.isTalking) return false
    return !(state.isBridged && forwarder.isFlowing) || now >= silentFrom(parts)
  },
  makeFrame: (parts, agreement, packet, now) => {
    const bytes = parts.transcoder.silenceInto(packet, headerLength, parts.clock.frames.frameMs)
    sendAudio(parts, agreement, packet, bytes, false, now)
    return true
  },
  describe: ({ state }) => (state.isTalking ? 'silence' : undefined),
}

/**
 * What is sent, the most urgent first: the first source that has a frame makes it. The last one also fills what those
 * before it leave, such as the pause between two digits.
 */
export const frameSources: readonly FrameSource[] = [dtmf, prompt, bridge, silence]

const last = frameSources.length - 1
const bridgeAt = frameSources.indexOf(bridge)
/** Only silence depends on the time. */
const anyTime = 0

/** The source whose turn it is; undefined: there is nothing to send by the frame clock. */
export function presentSource(parts: SendParts, now: number): FrameSource | undefined {
  for (let i = 0; i <= last; i++) if (frameSources[i]!.hasFrame(parts, now)) return frameSources[i]
  return undefined
}

/** A source of ours precedes the other leg's packets, which are not sent meanwhile. */
export function isBridgePreempted(parts: SendParts): boolean {
  for (let i = 0; i < bridgeAt; i++) if (frameSources[i]!.hasFrame(parts, anyTime)) return true
  return false
}

/** Makes the frame that is due. */
export function makeFrame(parts: SendParts, agreement: Agreement, now: number): void {
  const packet = parts.network.slot()
  for (let i = 0; i < last; i++) {
    const source = frameSources[i]!
    if (source.hasFrame(parts, now) && source.makeFrame(parts, agreement, packet, now)) return
  }
  silence.makeFrame(parts, agreement, packet, now)
}

/** `dtmf | prompt | bridge(forward PCMU) | silence`. */
export const describeSources = (parts: SendParts, agreement: Agreement): string =>
  frameSources
    .map(source => source.describe(parts, agreement))
    .filter(part => part !== undefined)
    .join(' | ')

/** When the other leg, whose packets pass, will have been silent for too long. */
export const silentFrom = ({ clock, forwarder }: SendParts): number =>
  Math.max(clock.frames.dueAt, forwarder.forwardedAt) + relayIdleMs

function sendAudio(
  { to, clock, forwarder, packetizer }: SendParts,
  agreement: Agreement,
  packet: Uint8Array,
  bytes: number,
  isPrompt: boolean,
  now: number,
): void {
  // While a digit of the other leg passes, only a prompt is sent.
  const isFree = isPrompt || now >= forwarder.eventUntil
  if (to.maySend() && bytes > 0 && isFree)
    packetizer.put(packet, agreement.payloadType, bytes, clock.frameUnits, isPrompt, clock.frames.dueAt, now)
  // Not sent, but passed: a prompt during hold takes its time, and so does its stream.
  else clock.pass(1)
}

/** A frame in which a digit is sent; false when none is: there is room for audio. */
function makeDigit(parts: SendParts, agreement: Agreement, packet: Uint8Array, now: number): boolean {
  const { stream, clock, to, digits, transcoder, packetizer, send } = parts
  const { frameUnits: units } = clock
  switch (digits.next()) {
    case 'events': {
      const length = digits.nextInto(packet, headerLength, stream.timestamp)
      if (length === 0) return false
      const type = agreement.sendEvents
      if (!to.maySend() || type === undefined) stream.skip(units)
      else send(packet, stream.event(packet, type, digits.marker, digits.timestamp, length, units))
      stream.mark()
      return true
    }
    case 'tones': {
      // The first tone would be lost in a coder that is still being made.
      if (!transcoder.isReady) return false
      const bytes = transcoder.digitsInto(packet, headerLength, clock.frames.frameMs, digits)
      if (bytes === 0) return false
      if (to.maySend()) packetizer.put(packet, agreement.payloadType, bytes, units, false, clock.frames.dueAt, now)
      else stream.skip(units)
      return true
    }
    case undefined:
      return false
  }
}
