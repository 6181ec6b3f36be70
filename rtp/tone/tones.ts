import { ringbacks } from './ringback.ts'
import type { Tone, ToneStep } from './tone.ts'

/** A step that sounds; levels lie within ITU-T E.180 §6's −10 ± 5 dBm0. */
const sounds = (hz: number, durationMs: number, dbm0 = -13): ToneStep => ({ sines: [{ hz, dbm0 }], durationMs })
const silent = (durationMs: number): ToneStep => ({ sines: [], durationMs })

/** The tones of the switch, and `ringback-<country>` of 28 countries. */
export const tones = {
  ...ringbacks,
  /** Before a recording: 1 kHz for a quarter of a second. */
  beep: { steps: [sounds(1000, 250)], repeats: false },
  /** The balance is nearly used up: two short high tones (1,400 Hz, as E.180 §11 has for warnings). */
  warning: { steps: [sounds(1400, 200), silent(150), sounds(1400, 200)], repeats: false },
  /** A member enters a room, or leaves it: two notes up, two notes down, below a voice. */
  enter: { steps: [sounds(660, 100, -18), silent(20), sounds(880, 140, -18)], repeats: false },
  leave: { steps: [sounds(880, 100, -18), silent(20), sounds(660, 140, -18)], repeats: false },
  /** A room that has not begun: two soft notes now and then show that the line is there. */
  waiting: {
    steps: [silent(500), sounds(523, 180, -32), silent(60), sounds(659, 260, -32), silent(5000)],
    repeats: true,
  },
} as const satisfies Record<string, Tone>

/** ITU-T Q.23: the keypad from its first row on, and the frequencies of its rows and columns, Hz. */
export const keypad = '123A456B789C*0#D'
export const rowsHz = [697, 770, 852, 941] as const
export const columnsHz = [1209, 1336, 1477, 1633] as const

/** The two sines of a digit `0-9*#A-D`, as in-band DTMF; undefined for other characters. */
export const dtmfTone = (digit: string, durationMs = 100): Tone | undefined => {
  const key = digit.length === 1 ? keypad.indexOf(digit.toUpperCase()) : -1
  if (key < 0) return undefined
  // Q.24 allows the high group 2 dB more.
  const sines = [
    { hz: rowsHz[key >> 2]!, dbm0: -9 },
    { hz: columnsHz[key & 3]!, dbm0: -7 },
  ]
  return { steps: [{ sines, durationMs }], repeats: false }
}
