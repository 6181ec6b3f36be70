import type { Speech } from '../../core/adapters/benchmark/rtp-load.ts'
import { LibOpus } from '../../rtp/io/libopus.ts'
import { encodePcmu } from '../../tests/rig/probes/g711.ts'
import { babble } from '../../tests/rig/probes/tone.ts'

const samplesPerFrame = 160
const seconds = 2

const framesOf = (samples: Int16Array): Int16Array[] =>
  Array.from({ length: samples.length / samplesPerFrame }, (_, at) =>
    samples.subarray(at * samplesPerFrame, (at + 1) * samplesPerFrame),
  )

/** Speech-like noise in PCMU. */
export const pcmuSpeech = (): Speech => ({
  kind: 'frames',
  payloadType: 0,
  samplesPerFrame,
  frames: framesOf(babble(seconds)).map(encodePcmu),
})

/** The same in Opus. */
export async function opusSpeech(): Promise<Speech> {
  const opus = new LibOpus()
  await opus.warm()
  const encoder = await new Promise<Parameters<Parameters<typeof opus.encoder>[1]>[0]>(resolve =>
    opus.encoder({ sampleRate: 8000, bitrate: 16_000, fec: false, dtx: false }, resolve),
  )
  if (encoder === undefined) throw new Error('no encoder of Opus')
  const frames = framesOf(babble(seconds)).map(frame => {
    const packet = new Uint8Array(1500)
    return packet.slice(0, encoder.encodeInto(packet, 0, frame, 0, frame.length))
  })
  encoder.free()
  return { kind: 'frames', payloadType: 96, samplesPerFrame: 960, frames }
}
