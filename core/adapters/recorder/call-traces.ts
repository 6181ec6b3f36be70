import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { SipTap } from '../../../sip/transport/index.ts'
import type { CallUuid, LegUuid } from '../../model/ids.ts'
import type { LegMediaStats } from '../../model/leg-quality.ts'
import type { Settings } from '../../model/settings.ts'
import type { Clock } from '../../ports/clock.ts'
import { FlightRecorder } from '../../recorder/flight-recorder.ts'
import { hepPacket } from '../../recorder/hep.ts'
import { pcapngOf } from '../../recorder/pcapng.ts'
import { TraceRing } from '../../recorder/ring.ts'
import type { SipRecord } from '../../recorder/sip-record.ts'
import type { Trace, TracePage, TraceReader } from '../../recorder/trace.ts'

const rtpEveryMs = 1000
const megabyte = 1024 * 1024

/** The flight recorder of a switch: its memory, its clock, its second's tick, and Homer. */
export class CallTraces {
  readonly recorder: FlightRecorder
  readonly tap: SipTap
  readonly tried: (callId: CallUuid, tried: Readonly<Record<string, unknown>>) => void
  readonly #clock: Clock
  readonly #socket: Socket | undefined
  #stop: () => void = () => {}

  /** Undefined when the settings give it no memory. */
  static open(settings: Pick<Settings, 'recorder' | 'hep'>, clock: Clock): CallTraces | undefined {
    return settings.recorder.memoryMb === 0 ? undefined : new CallTraces(settings, clock)
  }

  private constructor({ recorder, hep }: Pick<Settings, 'recorder' | 'hep'>, clock: Clock) {
    const offset = clock.unixMs() - clock.now()
    this.#clock = clock
    const ring = new TraceRing(new ArrayBuffer(recorder.memoryMb * megabyte))
    this.#socket = hep === undefined ? undefined : createSocket(isIPv6(hep.address) ? 'udp6' : 'udp4')
    const socket = this.#socket
    // Nothing waits for a Homer server that does not answer.
    socket?.on('error', () => {})
    socket?.unref()
    const mirror =
      hep === undefined
        ? undefined
        : (sip: SipRecord, unixMs: number) => socket?.send(hepPacket(sip, unixMs), hep.port, hep.address, () => {})
    this.recorder = new FlightRecorder(ring, {
      now: () => clock.now() + offset,
      ...(mirror === undefined ? {} : { mirror }),
    })
    this.tap = {
      message: (bytes, flow, isSent) => this.recorder.sip(bytes, flow, isSent),
      dialog: (id, callId) => this.recorder.dialog(id as LegUuid, callId),
    }
    this.tried = (callId, tried) => this.recorder.callback(callId, tried)
  }

  /** Once a second the figures of every leg that has any. */
  watch(statsOf: (legId: LegUuid) => LegMediaStats | undefined): void {
    this.#stop = this.#clock.at(this.#clock.now() + rtpEveryMs, () => {
      for (const legId of this.recorder.liveLegs()) {
        const stats = statsOf(legId)
        if (stats !== undefined) this.recorder.rtp(legId, stats)
      }
      this.watch(statsOf)
    })
  }

  async read(id: string, reader: TraceReader, page: TracePage): Promise<Trace | undefined> {
    return this.recorder.read(id, reader, page)
  }

  async pcapng(id: string): Promise<Uint8Array | undefined> {
    const messages = this.recorder.messages(id)
    return messages && pcapngOf(messages)
  }

  close(): void {
    this.#stop()
    this.#socket?.close()
  }
}
