import type { Static } from '@sinclair/typebox'
import { formatMoney, type LiveCallDump, type LiveLegDump, mediaResource } from '../../core/index.ts'
import type { CallDump } from '../schema/call-dump.ts'
import { timeOf } from './render.ts'

export type RenderedDump = Static<typeof CallDump>
export type RenderedLeg = RenderedDump['legs'][number]

type Sip = NonNullable<LiveLegDump['sip']>
type Media = NonNullable<LiveLegDump['mediaLeg']>
type Session = NonNullable<Media['session']>

const orNull = <T>(value: T | undefined): T | null => value ?? null

/** A live call's state. Field by field: what is added to a part of a call is not shown before it is named here. */
export function renderDump(dump: LiveCallDump): RenderedDump {
  const { call, document, dial } = dump
  return {
    taken_at: timeOf(dump.takenUnix),
    uuid: call.uuid,
    sid: call.sid,
    account: call.accountUuid,
    direction: call.direction,
    from_number: call.fromNumber,
    to_number: call.toNumber,
    status: call.status,
    phase: dump.phase,
    created_at: timeOf(call.createdUnix),
    answered_at: call.answeredUnix === null ? null : timeOf(call.answeredUnix),
    waits_for: [...dump.waitsFor],
    document:
      document === undefined
        ? null
        : {
            state: document.state,
            url: document.url,
            verb: orNull(document.verb),
            line: orNull(document.line),
            column: orNull(document.column),
            wake_in_ms: orNull(document.wakeInMs),
          },
    dial:
      dial === undefined
        ? null
        : {
            kind: dial.kind,
            state: dial.state,
            conference: orNull(dial.room),
            bridged_leg: orNull(dial.bridgedLegUuid),
            branches: dial.branches.map(({ sid, kind, to, state, legUuid }) => ({
              sid,
              kind,
              to,
              state,
              leg: orNull(legUuid),
            })),
          },
    holds: dump.holds.map(hold => ({
      uuid: hold.uuid,
      leg: hold.legUuid,
      state: hold.state,
      amount: formatMoney(hold.amount),
      paid_seconds: Number.isFinite(hold.paidSeconds) ? hold.paidSeconds : null,
      talk_seconds: orNull(hold.talkSeconds),
      rate_prefix: hold.ratePrefix,
    })),
    timers: timers(dump.deadlines),
    legs: dump.legs.map(legOf),
  }
}

const legOf = (each: LiveLegDump): RenderedLeg => ({
  uuid: each.leg.uuid,
  role: each.leg.role,
  direction: each.leg.direction,
  number: each.leg.number,
  trunk: each.leg.trunkName,
  state: each.state,
  media_state: each.media,
  is_ready: each.isReady,
  codec: orNull(each.codec),
  conference: orNull(each.room),
  sip: each.sip === undefined ? null : sipOf(each.sip),
  media: each.mediaLeg === undefined ? null : mediaOf(each.mediaLeg),
})

const sipOf = ({ direction, state, callId, dialog, timers: running, transactions }: Sip) => ({
  direction,
  state,
  call_id: callId,
  dialog:
    dialog === undefined
      ? null
      : {
          state: dialog.state,
          offer: dialog.offer,
          open_request: dialog.open,
          local_tag: dialog.localTag,
          remote_tag: dialog.remoteTag,
          local_cseq: dialog.localSeq,
          remote_cseq: orNull(dialog.remoteSeq),
          remote_target: dialog.remoteTarget,
          route_set: [...dialog.routeSet],
          next_hop: dialog.nextHop,
          peer_allows_update: dialog.remoteAllowsUpdate,
        },
  timers: timers(running),
  transactions: transactions.map(each => ({
    role: each.role,
    method: each.method,
    cseq: each.cseq,
    state: each.state,
    flow: each.flow,
    timers: timers(each.timers),
  })),
})

const mediaOf = ({ state, isAgreed, plays, recordings, digits, session }: Media) => ({
  state,
  is_agreed: isAgreed,
  plays,
  recordings,
  digits,
  session: session === undefined ? null : sessionOf(session),
})

const sessionOf = (session: Session) => {
  const { agreement, source, jitterBuffer, srtp, browser, stats } = session
  return {
    local_port: session.localPort,
    ssrc: session.ssrc,
    send_pipeline: session.sendPipeline,
    send_source: session.sendSource,
    receive_pipeline: session.receivePipeline,
    agreement:
      agreement === undefined
        ? null
        : {
            codec: agreement.codec,
            payload_type: agreement.payloadType,
            ptime_ms: agreement.ptimeMs,
            send: agreement.send,
            receive: agreement.receive,
            on_hold: agreement.onHold,
            remote: agreement.remote,
            send_events: orNull(agreement.sendEvents),
            accept_events: orNull(agreement.acceptEvents),
          },
    source: {
      state: source.state,
      signalled: source.signalled,
      address: source.address,
      candidate_packets: source.candidatePackets,
      changes: stats.source.changes,
      refused_packets: stats.source.refused,
      withheld_packets: stats.source.withheld,
    },
    jitter_buffer:
      jitterBuffer === undefined
        ? null
        : { packets: jitterBuffer.packets, delay_ms: jitterBuffer.delayMs, aim_ms: jitterBuffer.aimMs },
    srtp: { state: srtp.state, suite: orNull(srtp.suite) },
    browser:
      browser === undefined
        ? null
        : {
            selected: browser.selected,
            paths: browser.paths,
            checks: browser.checks,
            dropped_checks: browser.dropped,
            dtls: browser.dtls,
          },
    bridged_with: orNull(session.bridgedWith),
    quality: mediaResource(stats),
  }
}

const timers = (all: readonly { readonly name: string; readonly dueInMs: number }[]) =>
  all.map(({ name, dueInMs }) => ({ name, due_in_ms: dueInMs }))
