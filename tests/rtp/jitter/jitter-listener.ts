import * as assert from 'uvu/assert'
import { writeHeader } from '../../../rtp/index.ts'
import { JitterBuffer, type Pulled } from '../../../rtp/jitter/jitter-buffer.ts'
import type { JitterBufferConfig } from '../../../rtp/jitter/jitter-buffer-config.ts'

export interface Arrival {
  readonly at: number
  readonly sequence: number
  readonly timestamp: number
  readonly ssrc?: number
  readonly noted?: boolean
  readonly length?: number
}

export const packetOf = (arrival: Arrival): Uint8Array => {
  const packet = new Uint8Array(12 + (arrival.length ?? 160))
  const { sequence, timestamp } = arrival
  writeHeader(packet, { payloadType: 0, marker: false, sequence, timestamp, ssrc: arrival.ssrc ?? 7 })
  packet.fill(sequence & 0xff, 12)
  return packet
}

export interface Heard {
  readonly at: number
  readonly kind: Pulled
  readonly timestamp: number
  readonly units: number
  readonly joins: boolean
}

/** A listener with frames of `frameMs` from 0 to `untilMs`; waits fill one frame. */
export const listen = (
  arrivals: readonly Arrival[],
  untilMs: number,
  config: JitterBufferConfig = {},
  frameMs = 20,
) => {
  const buffer = new JitterBuffer(config)
  const received: Heard[] = []
  const order = [...arrivals].sort((a, b) => a.at - b.at)
  let next = 0
  let filledUntil = 0
  for (let now = 0; now < untilMs; now += frameMs) {
    for (; next < order.length && order[next]!.at <= now; next++) {
      const arrival = order[next]!
      const packet = packetOf(arrival)
      if (arrival.noted === true) buffer.note(packet, arrival.at)
      else buffer.push(packet, packet.length, arrival.at)
    }
    for (let turns = 0; filledUntil < now + frameMs; turns++) {
      assert.ok(turns < 10, 'every pull brings the listener on')
      const kind = buffer.pull(now)
      received.push({ at: now, kind, timestamp: buffer.frameTimestamp, units: buffer.units, joins: buffer.frameJoins })
      if (kind === 'frame') {
        assert.is(buffer.payload[buffer.frameFrom], buffer.payload[buffer.frameFrom + buffer.frameLength - 1])
      }
      filledUntil += kind === 'waiting' ? frameMs : buffer.units / ((config.clockRate ?? 8000) / 1000)
    }
  }
  return { buffer, received, frames: received.filter(one => one.kind === 'frame') }
}

export const stream = (count: number, ptimeMs = 20, first = { sequence: 65_500, timestamp: 0xffff_0000 }): Arrival[] =>
  Array.from({ length: count }, (_, i) => ({
    at: 10 + i * ptimeMs,
    sequence: (first.sequence + i) & 0xffff,
    timestamp: (first.timestamp + i * ptimeMs * 8) >>> 0,
    length: ptimeMs * 8,
  }))
export const kinds = (received: readonly Heard[]): string => received.map(one => one.kind[0]).join('')
export const inOrder = (frames: readonly Heard[], arrivals: readonly Arrival[]): boolean => {
  const at = new Map(arrivals.map((one, i) => [one.timestamp, i]))
  return frames.every((one, i) => i === 0 || at.get(one.timestamp)! > at.get(frames[i - 1]!.timestamp)!)
}
