import { formatPlace } from '../address/address.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import type { SessionStats } from '../contract/session-stats.ts'
import { describeSocket } from '../net/network.ts'
import type { PortPair } from '../net/port-pool.ts'
import type { Receiver } from '../receive/receiver.ts'
import type { SymmetricRtp } from '../receive/symmetric-rtp.ts'
import type { Recordings } from '../record/recordings.ts'
import type { Sender } from '../send/sender.ts'

/** A session without what protects its packets, which it does not know of. */
export type OwnDump = Omit<SessionDump, 'srtp' | 'browser'>

interface DumpedSession {
  readonly id: string
  readonly ssrc: number
  readonly ports: PortPair
  readonly sender: Sender
  readonly receiver: Receiver
  readonly recordings: Recordings
  readonly symmetricRtp: SymmetricRtp
  readonly agreement: Agreement | undefined
  readonly bridgedWith: string | undefined
  readonly stats: SessionStats
}

/** What a session is doing now, gathered from its parts. */
export function dumpOf(session: DumpedSession, now: number): OwnDump {
  const { agreement, symmetricRtp, sender, receiver } = session
  const { buffer } = receiver.inband
  return {
    session: session.id,
    localPort: session.ports.rtp.port,
    ssrc: session.ssrc,
    sendPipeline: sender.describe(),
    sendSource: sender.sourceAt(now),
    receivePipeline: receivePipelineOf(session),
    agreement: agreement && {
      codec: agreement.codec,
      payloadType: agreement.payloadType,
      ptimeMs: agreement.ptimeMs,
      send: agreement.send,
      receive: agreement.receive,
      onHold: agreement.onHold === true,
      remote: agreement.remote === undefined ? '' : `${agreement.remote.address}:${agreement.remote.port}`,
      sendEvents: agreement.sendEvents,
      acceptEvents: agreement.acceptEvents,
    },
    source: {
      state: symmetricRtp.state,
      signalled: placeOf(symmetricRtp.signalledAddress, symmetricRtp.signalledPort),
      address: placeOf(symmetricRtp.address, symmetricRtp.port),
      candidatePackets: symmetricRtp.candidatePackets,
    },
    jitterBuffer: buffer && { packets: buffer.size, delayMs: buffer.delayMs, aimMs: buffer.aimMs },
    bridgedWith: session.bridgedWith,
    stats: session.stats,
  }
}

/** `udp:10002 → srtp → PCMU → forward | record`. */
function receivePipelineOf({ ports, receiver, recordings, agreement, bridgedWith }: DumpedSession): string {
  const { inband } = receiver
  const entry = describeSocket(ports.rtp).split(' → ').reverse()
  const kinds = [...new Set(agreement?.accept.map(({ codec }) => codec) ?? [])]
  const takers: string[] = []
  if (bridgedWith !== undefined && !inband.isRead) takers.push('forward')
  if (inband.buffer !== undefined) takers.push(`jitter(${Math.round(inband.buffer.aimMs)} ms) → decode`)
  if (recordings.areRunning) takers.push('record')
  return [...entry, kinds.join(', ') || 'nothing is agreed', takers.join(' | ') || 'count'].join(' → ')
}

const placeOf = (address: number, port: number): string => (port === 0 ? '' : formatPlace(address, port))
