import type { EngineCommand, EngineEvent } from '../../../rtp/worker/index.ts'
import { assertNever } from '../../model/assert-never.ts'
import type { LegUuid } from '../../model/ids.ts'
import type { MediaCommand, MediaEvent } from '../../ports/media.ts'
import { closedUnopened, nothingRecorded } from './ends.ts'
import type { LegMedia, OpenCommand, RecordOrder, SdpCommand } from './leg-media.ts'

/** What goes to the leg's session as it is: everything but offers and answers. */
type Order = Exclude<MediaCommand, OpenCommand | SdpCommand>

/** It is of a recording that cannot begin before the leg's codec is known. */
export function mustWait(leg: LegMedia, order: Order): order is RecordOrder {
  if (leg.state !== 'opening' || leg.open.offer === undefined) return false
  switch (order.type) {
    case 'media.record':
    case 'media.record-session':
    case 'media.pause-record':
    case 'media.resume-record':
    case 'media.stop-record':
      return true
    default:
      return false
  }
}

/** What was ordered of recordings while the leg opened, in the engine's words; it waits no longer. */
export const recordingOrders = (leg: LegMedia): readonly EngineCommand[] =>
  leg.toRecord.splice(0).map(order => engineOrder(leg, order))

/** The order in the engine's words. What will be reported as ended is noted with the leg. */
export function engineOrder(leg: LegMedia, order: Order): EngineCommand {
  const session = leg.legId
  switch (order.type) {
    case 'media.play':
      leg.plays.add(order.playId)
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
      leg.recordings.set(order.recordId, order.path)
      return { type: 'record', session, recording: order.recordId, path: order.path, rules: order.limits }
    case 'media.record-session':
      leg.recordings.set(order.recordId, order.path)
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
    case 'media.send-digits':
      leg.digits.add(order.digitsId)
      return { type: 'send-digits', session, digitsId: order.digitsId, digits: order.digits }
    case 'media.close':
      leg.state = 'closing'
      return { type: 'close', session }
    default:
      return assertNever(order)
  }
}

/**
 * The end of what is ordered of a leg that is no more: it has ended before it began. `isRefused`: it never had a
 * session, and its own end is still to be reported.
 */
export function endOfLate(legId: LegUuid, order: MediaCommand, isRefused: boolean): MediaEvent | undefined {
  switch (order.type) {
    case 'media.play':
      return { type: 'media.played', legId, playId: order.playId, completed: false }
    case 'media.record':
    case 'media.record-session':
      return nothingRecorded(legId, order.recordId)
    case 'media.send-digits':
      return { type: 'media.digits-sent', legId, digitsId: order.digitsId }
    case 'media.close':
      return isRefused ? closedUnopened(legId) : undefined
    default:
      return undefined
  }
}

/** What a session reports about its orders and its remote. */
type SessionNews = Exclude<EngineEvent, { readonly type: 'opened' | 'failed' | 'stats' | 'source' | 'closed' }>

/** The news in the domain's words; undefined: of an order whose end was reported before. */
export function mediaNews(leg: LegMedia, news: SessionNews): MediaEvent | undefined {
  const { legId } = leg
  switch (news.type) {
    case 'played': {
      if (!leg.plays.delete(news.play)) return undefined
      const fault = news.fault === undefined ? {} : { fault: news.fault }
      return { type: 'media.played', legId, playId: news.play, completed: news.completed, ...fault }
    }
    case 'recorded': {
      const { recording: recordId, durationMs, sizeBytes, endedBy } = news
      if (!leg.recordings.delete(recordId)) return undefined
      return { type: 'media.recorded', legId, recordId, durationMs, sizeBytes, endedBy }
    }
    case 'digits-sent':
      return leg.digits.delete(news.digitsId)
        ? { type: 'media.digits-sent', legId, digitsId: news.digitsId }
        : undefined
    case 'key-down':
      return { type: 'media.key-down', legId, digit: news.digit }
    case 'digit':
      return { type: 'media.digit', legId, digit: news.digit, durationMs: news.durationMs }
    case 'quiet':
      return { type: 'media.quiet', legId }
    case 'timeout':
      // A browser's consent checks show that it is there (RFC 7675): no OPTIONS is needed.
      if (news.onHold === true) return leg.browser === undefined ? { type: 'media.quiet', legId } : undefined
      return { type: 'media.timeout', legId, ...(news.fault === undefined ? {} : { fault: news.fault }) }
    default:
      return assertNever(news)
  }
}
