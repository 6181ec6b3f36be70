import type { AudioCommand, AudioEvent } from '../../core/ports/audio.ts'

const speechMsPerCharacter = 50
const speakMs = 10
const loadMs = 5

/** Speech as long as its text, audio of two seconds whatever its name, and none where the name says `missing`. */
export function audioFor(command: AudioCommand): { readonly afterMs: number; readonly event: AudioEvent } {
  const { callId, requestId } = command
  const ready = (durationMs: number): AudioEvent => ({
    type: 'audio.ready',
    callId,
    requestId,
    path: `/wav/${durationMs}`,
    durationMs,
  })
  if (command.type === 'audio.speak') {
    return { afterMs: speakMs, event: ready(command.text.length * speechMsPerCharacter) }
  }
  const name = 'asset' in command.source ? command.source.asset : command.source.url
  const missing = { type: 'audio.failed', callId, requestId, code: 'PLAY.0404', detail: name } as const
  return { afterMs: loadMs, event: name.includes('missing') ? missing : ready(2000) }
}
