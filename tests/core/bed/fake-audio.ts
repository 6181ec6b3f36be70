import type { AudioCommand, AudioEvent } from '../../../core/ports/audio.ts'

const speechMsPerCharacter = 50
const speakMs = 10
const loadMs = 5

interface Told {
  readonly afterMs: number
  readonly event: AudioEvent
}

/**
 * Speech as long as its text, audio of two seconds whatever its name, and none where the name says `missing`. `Growing 5`
 * lasts five seconds, of which one is there at once, and then one more each 100 ms; `Growing 5 breaks at 3` breaks there.
 */
export function audioFor(command: AudioCommand): readonly Told[] {
  const { callId, requestId } = command
  const ready = (durationMs: number): AudioEvent => ({
    type: 'audio.ready',
    callId,
    requestId,
    path: `/wav/${durationMs}`,
    durationMs,
  })
  if (command.type === 'audio.speak') {
    const grows = /^Growing (\d+)(?: breaks at (\d+))?/.exec(command.text)
    if (grows === null) return [{ afterMs: speakMs, event: ready(command.text.length * speechMsPerCharacter) }]
    const seconds = Number(grows[1])
    const breaksAt = Number(grows[2] ?? Infinity)
    const first: AudioEvent = {
      type: 'audio.ready',
      callId,
      requestId,
      path: `/wav/${1000 * Math.min(seconds, breaksAt)}`,
      durationMs: 1000,
      isGrowing: true,
    }
    const reported: Told[] = [{ afterMs: speakMs, event: first }]
    for (let second = 2; second <= Math.min(seconds, breaksAt); second++) {
      const isWhole = second === Math.min(seconds, breaksAt)
      const fault = second === breaksAt ? { detail: 'the engine broke' } : {}
      const grown = { type: 'audio.grown', callId, requestId, durationMs: 1000 * second, isWhole, ...fault } as const
      reported.push({ afterMs: speakMs + 100 * (second - 1), event: grown })
    }
    return reported
  }
  const name = 'asset' in command.source ? command.source.asset : command.source.url
  const missing = { type: 'audio.failed', callId, requestId, code: 'PLAY.0404', detail: name } as const
  return [{ afterMs: loadMs, event: name.includes('missing') ? missing : ready(2000) }]
}
