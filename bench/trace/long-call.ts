import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { CallTraces } from '../../core/adapters/trace/call-traces.ts'
import type { CallUuid, LegUuid } from '../../core/model/ids.ts'
import { defaultSettings } from '../../core/model/settings.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { MediaTape, type TapePoint } from '../../rtp/index.ts'

const events = 2000
const flow = { transport: 'udp', address: '198.51.100.9', port: 5060, localHost: '192.0.2.1', localPort: 5060 } as const

const option = (method: string, sequence: number): Uint8Array =>
  new TextEncoder().encode(
    `${method} sip:+254700000001@192.0.2.1 SIP/2.0\r\nVia: SIP/2.0/UDP 198.51.100.9:5060;branch=z9hG4bK${sequence}\r\nMax-Forwards: 70\r\nFrom: <sip:a@h>;tag=1\r\nTo: <sip:b@h>\r\nCall-ID: long@h\r\nCSeq: ${sequence} ${method}\r\nContact: <sip:a@198.51.100.9>\r\nContent-Length: 0\r\n\r\n`,
  )

/** The recorder as the switch has it, with one call that went on for an hour, or for other seconds; 0: without a call. */
export async function openLongCall(
  dataFolder: string,
  seconds = 3600,
): Promise<{ readonly traces: CallTraces; readonly sid: string }> {
  const began = Date.now() - seconds * 1000
  let now = 0
  const clock: Clock = { now: () => now, unixMs: () => began + now, at: () => () => {} }
  const traces = CallTraces.open({ ...defaultSettings, dataFolder }, clock, silentLog)
  if (traces === undefined) throw new Error('nothing is recorded')
  const { recorder } = traces
  const [callId, legId, other] = ['call-1' as CallUuid, 'leg-1' as LegUuid, 'leg-2' as LegUuid]
  const sid = 'CAlong'
  if (seconds === 0) return { traces, sid }
  recorder.message(option('INVITE', 1), flow, false)
  recorder.dialog(legId, 'long@h')
  const leg = { type: 'leg.dial', callId, target: { kind: 'uri', uri: 'sip:x@y.test' } }
  for (const id of [legId, other]) recorder.command({ ...leg, legId: id } as Parameters<typeof recorder.command>[0])
  recorder.command({
    type: 'store.commit',
    callId,
    commitId: 1,
    unit: [
      {
        type: 'call.insert',
        call: { sid, accountUuid: 'account', direction: 'inbound', fromNumber: '', toNumber: '' },
      },
    ],
  } as unknown as Parameters<typeof recorder.command>[0])
  const [first] = traces.tapes
  if (first === undefined) throw new Error('there is no tape')
  const tape = new MediaTape(first.memory, false)
  const legs = [legId, other].map(id => tape.name(id))
  let written = 0
  for (let second = 0; second < seconds; second++) {
    now = second * 1000
    for (const leg of legs) tape.point(leg, began + now, figuresAt(second))
    for (; written < (second * events) / seconds; written++) {
      if (written % 2 === 0) recorder.message(option('OPTIONS', written + 2), flow, written % 4 === 0)
      else
        recorder.command({
          type: 'verb.began',
          callId,
          verb: { name: 'Say', line: written, column: 3, url: 'https://acme.test/in' },
        })
    }
    // The thread takes what waits twice a second, or sooner.
    if (second % 400 === 399) await new Promise(resolve => setTimeout(resolve, second < 1000 ? 1000 : 250))
  }
  return { traces, sid }
}

const figuresAt = (second: number): TapePoint => ({
  codec: 'PCMU',
  received: 50 * second,
  sent: 50 * second,
  lost: Math.floor(second / 10),
  jitterMs: 2 + (second % 5),
  delayMs: 80,
  roundTripMs: 30,
  mos: 4.3,
  remoteLossPercent: 0,
  concealedMs: 0,
  levelDbov: -20 - (second % 10),
})
