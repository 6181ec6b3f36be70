import type { Tone, ToneStep } from './tone.ts'

/** Level of all sines together, within ITU-T E.180 §6's −10 ± 5 dBm0. */
const levelDbm0 = -13
/** A tone that is modulated wholly: each sideband has half the carrier's amplitude. */
const sidebandDb = -6

const tone = (...hz: readonly number[]): ToneStep['sines'] => {
  const each = levelDbm0 - 10 * Math.log10(hz.length)
  return hz.map(one => ({ hz: one, dbm0: each }))
}

/** `carrier` modulated by `by`. */
const modulated = (carrier: number, by: number): ToneStep['sines'] => [
  { hz: carrier, dbm0: levelDbm0 },
  { hz: carrier - by, dbm0: levelDbm0 + sidebandDb },
  { hz: carrier + by, dbm0: levelDbm0 + sidebandDb },
]

/** `ms`: on, off, on, off… */
const cadence = (sines: ToneStep['sines'], ...ms: readonly number[]): Tone => ({
  steps: ms.map((durationMs, at) => ({ sines: at % 2 === 0 ? sines : [], durationMs })),
  repeats: true,
})

const single = (sines: ToneStep['sines'], onMs: number, offMs: number): Tone => cadence(sines, onMs, offMs)
/** As British networks and those after their pattern have it. */
const double = (sines: ToneStep['sines']): Tone => cadence(sines, 400, 200, 400, 2000)

// Ringing tones by ISO 3166 code, after ITU-T E.180 supplement 2 (various tones used in national networks); gb and ie by
// BT SIN 350, nz by TNA 102, au by ACIF S002. All agree with the tone zones that open PBXs carry, but for ng and gh, which
// those lack, and for rw and et, which have the value that E.180 §7 recommends to everybody: 425 Hz, 1 s on, 4 s off.
export const ringbacks = {
  'ringback-ke': cadence(tone(425), 670, 3000, 1500, 5000),
  'ringback-tz': single(tone(425), 1000, 4000),
  'ringback-ug': single(tone(425), 1000, 4000),
  'ringback-rw': single(tone(425), 1000, 4000),
  'ringback-et': single(tone(425), 1000, 4000),
  'ringback-za': double(modulated(400, 33)),
  'ringback-ng': double(tone(400)),
  'ringback-gh': double(tone(400)),
  'ringback-us': single(tone(440, 480), 2000, 4000),
  'ringback-ca': single(tone(440, 480), 2000, 4000),
  'ringback-gb': double(tone(400, 450)),
  'ringback-ie': double(tone(400, 450)),
  'ringback-in': double(modulated(400, 25)),
  'ringback-fr': single(tone(440), 1500, 3500),
  'ringback-de': single(tone(425), 1000, 4000),
  'ringback-nl': single(tone(425), 1000, 4000),
  'ringback-be': single(tone(425), 1000, 3000),
  'ringback-ch': single(tone(425), 1000, 4000),
  'ringback-it': single(tone(425), 1000, 4000),
  'ringback-es': single(tone(425), 1500, 3000),
  'ringback-pt': single(tone(425), 1000, 5000),
  'ringback-se': single(tone(425), 1000, 5000),
  'ringback-no': single(tone(425), 1000, 4000),
  'ringback-br': single(tone(425), 1000, 4000),
  'ringback-mx': single(tone(425), 1000, 4000),
  'ringback-cn': single(tone(450), 1000, 4000),
  'ringback-nz': double(tone(400, 450)),
  'ringback-au': double(tone(413, 438)),
} as const satisfies Record<string, Tone>
