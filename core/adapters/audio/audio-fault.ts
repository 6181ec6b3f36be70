import type { AudioEvent } from '../../ports/audio.ts'

type AudioFaultCode = Extract<AudioEvent, { readonly type: 'audio.failed' }>['code']

/** Audio that cannot be played, and why; `code` is the event that reports it. */
export interface AudioFault {
  readonly ok: false
  readonly code: AudioFaultCode
  readonly detail: string
}

export const audioFault = (code: AudioFaultCode, detail: string): AudioFault => ({ ok: false, code, detail })
