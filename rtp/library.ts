// The door of `sauti/rtp`: what a program that is not the switch reads and writes media with. It stays when the inside
// changes; the switch itself uses index.ts.

export type { AudioCodec } from './codec/codec.ts'
export { pcma, pcmu } from './codec/g711.ts'
export { G722Decoder, G722Encoder } from './codec/g722.ts'
export {
  type DigitCounters,
  DigitReceiver,
  type DigitReceiverConfig,
  type ReceivedDigit,
} from './dtmf/digit-receiver.ts'
export { DigitSender, type DigitSenderConfig } from './dtmf/digit-sender.ts'
export { durationOf, eventOf, eventOfDigit, isEnd, volumeOf, writeEvent } from './dtmf/event-payload.ts'
export { InbandDetector } from './dtmf/inband-detector.ts'
export { Concealment } from './jitter/concealment.ts'
export { JitterBuffer, type JitterCounters, type Pulled, type Pushed } from './jitter/jitter-buffer.ts'
export type { JitterBufferConfig } from './jitter/jitter-buffer-config.ts'
export { addInto, clipInto } from './mix/mix.ts'
export type { OpusHead } from './ogg/read-head.ts'
export { type OggFault, type OggOpus, type ParsedOggOpus, readOggOpus } from './ogg/read-opus.ts'
export { kindOf, type PacketKind } from './packet/demux.ts'
export {
  headerLength,
  isRtp,
  markerOf,
  maxPacketLength,
  payloadLengthOf,
  payloadOffsetOf,
  payloadTypeOf,
  type RtpFields,
  sequenceOf,
  ssrcOf,
  timestampOf,
  writeHeader,
} from './packet/header.ts'
export { SequenceUnwrapper, sequenceAfter, sequenceDelta, timestampAfter, timestampDelta } from './packet/sequence.ts'
export { type ResampleFilter, resampleFilter } from './resample/filter.ts'
export { Resampler, resample } from './resample/resampler.ts'
export { InterarrivalJitter } from './rtcp/interarrival-jitter.ts'
export { middleOf, ntpFractionOf, ntpSecondsOf, roundTripMs } from './rtcp/ntp-time.ts'
export type { ExtendedBlock, ReportBlock, RtcpPacket, SenderInfo } from './rtcp/packet.ts'
export { type ParsedRtcp, parseRtcp, type RtcpFault } from './rtcp/parse.ts'
export { ReceptionStatistics } from './rtcp/reception-statistics.ts'
export { writeBye, writeReceiverReport, writeSdes, writeSenderReport } from './rtcp/write.ts'
export { SilenceDetector, type SilenceDetectorConfig } from './silence/silence-detector.ts'
export { type SrtpFacts, type SrtpKeys, type SrtpProfile, srtpFacts } from './srtp/profile.ts'
export { rejected, type SrtpCounters, SrtpReceiver } from './srtp/srtp-receiver.ts'
export { SrtpSender } from './srtp/srtp-sender.ts'
export { type Line, type Quality, qualityOf } from './stats/quality.ts'
export { levelAt } from './tone/goertzel.ts'
export { amplitudeOf, levelOf } from './tone/level.ts'
export type { Tone, ToneStep } from './tone/tone.ts'
export { renderTone, ToneSource } from './tone/tone-source.ts'
export { dtmfTone, tones } from './tone/tones.ts'
export { decodeWav } from './wav/decode.ts'
export { frameLengthOf, type WavEncoding, type WavFormat } from './wav/format.ts'
export { type ParsedWav, parseWav, type WavFault, type WavFile } from './wav/parse.ts'
export { wavHeader, wavHeaderLengthOf } from './wav/write.ts'
