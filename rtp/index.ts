/** The pure door of the media library: bytes, samples and times in, bytes, samples and events out. */

export type { AudioCodec } from './codec/codec.ts'
export type { AudioCodecName } from './codec/codec-name.ts'
export { pcma, pcmaToPcmuInto, pcmu, pcmuToPcmaInto, silenceOfPcma, silenceOfPcmu } from './codec/g711.ts'
export { G722Decoder, G722Encoder } from './codec/g722.ts'
export type { OpusWishes } from './codec/stream-encoder.ts'
export type { BrowserOpening, BrowserTerms } from './contract/browser-terms.ts'
export { type DtlsCertificate, selfSigned } from './dtls/certificate.ts'
export {
  type DigitCounters,
  DigitReceiver,
  type DigitReceiverConfig,
  type Press,
} from './dtmf/digit-receiver.ts'
export { DigitSender, type DigitSenderConfig, maxQueuedDigits } from './dtmf/digit-sender.ts'
export {
  digitsByEvent,
  durationOf,
  eventOf,
  eventOfDigit,
  eventPayloadLength,
  isEnd,
  maxEventDuration,
  volumeOf,
  writeEvent,
} from './dtmf/event-payload.ts'
export { InbandDetector } from './dtmf/inband-detector.ts'
export { type IceCredentials, iceCredentials } from './ice/credentials.ts'
export { Concealment } from './jitter/concealment.ts'
export { JitterBuffer, type JitterCounters, type Pulled, type Pushed } from './jitter/jitter-buffer.ts'
export type { JitterBufferConfig } from './jitter/jitter-buffer-config.ts'
export { addInto, clipInto, clipWithoutInto, scaleInPlace, sumInto } from './mix/mix.ts'
export { lastOpusPage, OpusPages, oggPageLength, oggPositionOf } from './ogg/opus-pages.ts'
export type { OpusHead } from './ogg/read-head.ts'
export { type OggFault, type OggOpus, type ParsedOggOpus, readOggOpus } from './ogg/read-opus.ts'
export { delimitInto, type FirstPacket, firstPacketIn, withoutDelimiter } from './ogg/self-delimited.ts'
export { kindOf, type PacketKind } from './packet/demux.ts'
export {
  headerLength,
  isRtp,
  markerOf,
  maxPacketLength,
  paddingOf,
  payloadLengthOf,
  payloadOffsetOf,
  payloadTypeOf,
  type RtpFields,
  rewriteHeader,
  sequenceOf,
  setPayloadType,
  setSequence,
  setSsrc,
  setTimestamp,
  ssrcOf,
  timestampOf,
  writeHeader,
} from './packet/header.ts'
export { SequenceUnwrapper, sequenceAfter, sequenceDelta, timestampAfter, timestampDelta } from './packet/sequence.ts'
export {
  MediaTape,
  MediaTapeReader,
  type TapeListener,
  type TapePacket,
  type TapePoint,
  tapeMemory,
} from './report/media-tape.ts'
export { type ResampleFilter, resampleFilter } from './resample/filter.ts'
export { Resampler, resample } from './resample/resampler.ts'
export {
  type ExtendedContent,
  extendedHeadLength,
  readExtended,
  type VoipMetrics,
  writeDelaySince,
  writeExtendedHead,
  writeReceiverTime,
  writeVoipMetrics,
} from './rtcp/extended-report.ts'
export { InterarrivalJitter } from './rtcp/interarrival-jitter.ts'
export { maxRoundTripMs, middleOf, ntpFractionOf, ntpSecondsOf, roundTripMs } from './rtcp/ntp-time.ts'
export type { ExtendedBlock, ReportBlock, RtcpPacket, SenderInfo } from './rtcp/packet.ts'
export { type ParsedRtcp, parseRtcp, type RtcpFault } from './rtcp/parse.ts'
export { Reception } from './rtcp/reception.ts'
export { RtcpSchedule, type RtcpScheduleConfig } from './rtcp/schedule.ts'
export { SequenceStatistics, type SequenceVerdict } from './rtcp/sequence-statistics.ts'
export { writeBye, writeReceiverReport, writeSdes, writeSenderReport } from './rtcp/write.ts'
export { SilenceDetector, type SilenceDetectorConfig } from './silence/silence-detector.ts'
export { type Trimmed, trimOf, trimSilence } from './silence/trim.ts'
export type { MediaKeys } from './srtp/media-keys.ts'
export { type SrtpFacts, type SrtpKeys, type SrtpProfile, srtpFacts } from './srtp/profile.ts'
export { rejected, type SrtpCounters, SrtpReceiver } from './srtp/srtp-receiver.ts'
export { SrtpSender } from './srtp/srtp-sender.ts'
export { type BurstGap, gapMinimum, LossPattern } from './stats/loss-pattern.ts'
export { type Line, type Quality, qualityOf } from './stats/quality.ts'
export { levelAt } from './tone/goertzel.ts'
export { amplitudeOf, fullScaleDbm0, levelOf, levelOfPower } from './tone/level.ts'
export type { Tone, ToneStep } from './tone/tone.ts'
export { renderTone, ToneSource } from './tone/tone-source.ts'
export { dtmfTone, tones } from './tone/tones.ts'
export { decodeWav, decodeWavInto } from './wav/decode.ts'
export { frameLengthOf, type WavEncoding, type WavFormat } from './wav/format.ts'
export { id3LengthOf } from './wav/id3-tag.ts'
export { type ParsedWav, parseWav, type WavFault, type WavFile } from './wav/parse.ts'
export { maxWavDataLengthOf, wavHeader, wavHeaderLengthOf, wavPaddingOf } from './wav/write.ts'
