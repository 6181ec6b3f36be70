import { setTimeout as sleep } from 'node:timers/promises'
import { type Agreement, type EngineEvent, openMedia } from '../../rtp/worker/index.ts'
import { agreed } from '../../tests/rtp/bed/agreement.ts'
import { serveQuestions } from '../subject.ts'
import {
  isOpusLeg,
  opusPayloadType,
  recordingOf,
  type SoakEnd,
  type SoakOpen,
  type SoakPorts,
  type SoakQuestion,
} from './soak-plan.ts'

// One media thread, as the switch runs it, in a process of its own.
const ended: EngineEvent[] = []
const ports = new Map<string, number>()
let plan: SoakOpen = { type: 'open', calls: 0, peerPorts: [], folder: '' }
let legs = 0
/** Twenty a second. */
const betweenCallsMs = 50
const media = openMedia(
  { workers: 1, address: '127.0.0.1', ports: [20_000, 29_998] },
  event => {
    if (event.type === 'opened') ports.set(event.session, event.port)
    if (event.type === 'failed') throw new Error(`${event.session} failed: ${event.detail}`)
    if (event.type === 'recorded' || event.type === 'closed') ended.push(event)
  },
  error => {
    throw error
  },
)

const agreement = (leg: number, port: number): Agreement => {
  const isOpus = isOpusLeg(leg)
  const codec = isOpus ? 'opus' : 'PCMU'
  const payloadType = isOpus ? opusPayloadType : 0
  return agreed(port, {
    codec,
    payloadType,
    accept: [{ payloadType, codec }],
    ...(isOpus ? { opus: { fec: true, dtx: false, maxBitrate: undefined } } : {}),
  })
}

async function open(asked: SoakOpen): Promise<SoakPorts> {
  plan = asked
  legs = 2 * plan.calls
  for (let leg = 0; leg < legs; leg++) media.open(String(leg), 'soak')
  while (ports.size < legs) await sleep(5)
  return Array.from({ length: legs }, (_, leg) => ports.get(String(leg))!)
}

async function begin({ calls, peerPorts, folder }: SoakOpen): Promise<void> {
  for (let call = 0; call < calls; call++) {
    await sleep(betweenCallsMs)
    for (const leg of [2 * call, 2 * call + 1]) {
      const port = peerPorts[leg % peerPorts.length]!
      media.execute({ type: 'agree', session: String(leg), talk: true, agreement: agreement(leg, port) })
    }
    media.execute({ type: 'bridge', session: String(2 * call), other: String(2 * call + 1) })
    media.execute({
      type: 'record-session',
      session: String(2 * call),
      recording: String(call),
      path: recordingOf(folder, call),
      rules: { channels: 'dual', track: 'both', maxLengthMs: 3_600_000 },
    })
  }
}

async function stop(): Promise<SoakEnd> {
  const [counters] = await media.counters()
  for (let leg = 0; leg < legs; leg += 2)
    media.execute({ type: 'stop-record', session: String(leg), recording: String(leg / 2) })
  for (let leg = 0; leg < legs; leg++) media.execute({ type: 'close', session: String(leg) })
  await media.close()
  const end = { failedRecordings: legs / 2, packetsLost: 0, packetsLate: 0, packetsDropped: 0 }
  for (const event of ended) {
    if (event.type === 'recorded' && event.endedBy === 'stopped') end.failedRecordings--
    if (event.type !== 'closed') continue
    end.packetsLost += event.stats.packetsLost
    end.packetsLate += event.stats.packetsLate
    end.packetsDropped += event.stats.packetsDropped
  }
  return {
    ...end,
    ticks: counters?.ticks ?? 0,
    ticksMissed: counters?.missed ?? 0,
    worstLateMs: counters?.worstLateMs ?? 0,
    unsent: counters?.unsent ?? 0,
  }
}

serveQuestions<SoakQuestion>(async question => {
  switch (question.type) {
    case 'open':
      return open(question)
    case 'begin':
      await begin(plan)
      return true
    case 'stop':
      return stop()
  }
})
