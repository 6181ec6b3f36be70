import { type EngineCommand, type EngineEvent, noStats, type SessionStats } from '../../../rtp/worker/index.ts'
import { assertNever } from '../../model/assert-never.ts'
import type { LegUuid } from '../../model/ids.ts'
import type { LegMediaStats } from '../../model/leg-quality.ts'
import type { MediaCommand, MediaEvent } from '../../ports/media.ts'
import { isCodecName } from './leg-sdp.ts'

export type OpenCommand = Extract<MediaCommand, { readonly type: 'media.open' }>
export type CloseCommand = Extract<MediaCommand, { readonly type: 'media.close' }>
export type SdpCommand = Extract<MediaCommand, { readonly type: 'media.answered' | 'media.reoffer' }>
/** What goes to the leg's session as it is. */
export type SessionOrder = Exclude<MediaCommand, OpenCommand | SdpCommand | CloseCommand>

/** An order in the engine's words. */
export function engineOrder(order: SessionOrder): EngineCommand {
  const session = order.legId
  switch (order.type) {
    case 'media.play':
      return {
        type: 'play',
        session,
        play: order.playId,
        source: order.source,
        loop: order.loop,
        ...(order.isFollowed === true ? { isFollowed: true } : {}),
      }
    case 'media.stop':
      return { type: 'stop', session, play: order.playId }
    case 'media.record':
      return { type: 'record', session, recording: order.recordId, path: order.path, rules: order.limits }
    case 'media.record-session':
      return { type: 'record-session', session, recording: order.recordId, path: order.path, rules: order.rules }
    case 'media.pause-record':
      return { type: 'pause-record', session, recording: order.recordId }
    case 'media.resume-record':
      return { type: 'resume-record', session, recording: order.recordId }
    case 'media.stop-record':
      return { type: 'stop-record', session, recording: order.recordId }
    case 'media.bridge':
      return { type: 'bridge', session, other: order.otherLegId }
    case 'media.unbridge':
      return { type: 'unbridge', session }
    case 'media.join':
      return { type: 'join', session, room: order.room, muted: order.muted }
    case 'media.leave':
      return { type: 'leave', session }
    case 'media.room-tone':
      return { type: 'room-tone', session, tone: order.tone }
    case 'media.capture':
      return { type: 'capture', session, forMs: order.forMs }
    case 'media.send-digits':
      return { type: 'send-digits', session, digitsId: order.digitsId, digits: order.digits }
    default:
      return assertNever(order)
  }
}

/** The end of an order that the engine reports. */
export type OrderEnded = Extract<EngineEvent, { readonly type: 'played' | 'recorded' | 'digits-sent' }>
/** What a session reports about its remote. */
export type RemoteNews = Extract<EngineEvent, { readonly type: 'key-down' | 'digit' | 'quiet' | 'timeout' }>

/** The end in the domain's words. */
export function endedOrder(legId: LegUuid, ended: OrderEnded): MediaEvent {
  switch (ended.type) {
    case 'played': {
      const fault = ended.fault === undefined ? {} : { fault: ended.fault }
      return { type: 'media.played', legId, playId: ended.play, completed: ended.completed, ...fault }
    }
    case 'recorded': {
      const { recording: recordId, durationMs, sizeBytes, endedBy } = ended
      return { type: 'media.recorded', legId, recordId, durationMs, sizeBytes, endedBy }
    }
    case 'digits-sent':
      return { type: 'media.digits-sent', legId, digitsId: ended.digitsId }
    default:
      return assertNever(ended)
  }
}

/** The news in the domain's words; undefined: the domain does not need it. */
export function remoteNews(legId: LegUuid, isBrowser: boolean, news: RemoteNews): MediaEvent | undefined {
  switch (news.type) {
    case 'key-down':
      return { type: 'media.key-down', legId, digit: news.digit }
    case 'digit':
      return { type: 'media.digit', legId, digit: news.digit, durationMs: news.durationMs }
    case 'quiet':
      return { type: 'media.quiet', legId }
    case 'timeout':
      // A browser's consent checks show that it is there (RFC 7675): no OPTIONS is needed.
      if (news.onHold === true) return isBrowser ? undefined : { type: 'media.quiet', legId }
      return {
        type: 'media.timeout',
        legId,
        ...(news.fault === undefined ? {} : { fault: news.fault }),
        ...(news.awaited === undefined ? {} : { awaited: news.awaited }),
      }
    default:
      return assertNever(news)
  }
}

/** A session's counters in the domain's words. */
export const statsOf = ({ codec, ...stats }: SessionStats): LegMediaStats => ({
  ...stats,
  codec: isCodecName(codec) ? codec : undefined,
})

/** The end of a leg without a session. */
export const closedUnopened = (legId: LegUuid): MediaEvent => ({ type: 'media.closed', legId, stats: statsOf(noStats) })
