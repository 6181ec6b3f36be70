import type { AudioCommand, AudioEvent } from '../../../core/ports/audio.ts'

const speechMsPerCharacter = 50
const speakMs = 10
const loadMs = 5

interface Told {
  readonly afterMs: number
  readonly event: AudioEvent
}

/** By the last part of the name. */
const faults: ReadonlyMap<string, Pick<Extract<AudioEvent, { type: 'audio.failed' }>, 'code' | 'detail'>> = new Map([
  ['gone.mp3', { code: 'PLAY.0404', detail: 'the server answered 404' }],
  ['slow.mp3', { code: 'PLAY.0408', detail: 'more than 10000 ms' }],
  ['page.mp3', { code: 'PLAY.0415', detail: 'it is no audio; WAV, MP3 and Ogg Opus are played' }],
  ['refused.mp3', { code: 'PLAY.0400', detail: 'the server answered 403' }],
  ['huge.mp3', { code: 'PLAY.0413', detail: 'more than 20971520 bytes' }],
  ['none', { code: 'PLAY.0404', detail: 'no asset "none"' }],
])

/**
 * Speech as long as its text, audio of two seconds whatever its name, and none where the name says `missing` or stands among
 * `faults`. A voice `nobody` is unknown, and what is `unspeakable` is not spoken. `Growing 5` lasts five seconds, of which one
 * is there at once, and then one more each 100 ms; `Growing 5 breaks at 3` breaks there.
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
    if (command.text.includes('unspeakable')) {
      const failed = { type: 'audio.failed', callId, requestId, code: 'SAY.0500', detail: 'the engine broke' } as const
      return [{ afterMs: speakMs, event: failed }]
    }
    const unknown = command.voice === 'nobody' ? { unknownVoice: 'nobody' } : {}
    if (grows === null)
      return [{ afterMs: speakMs, event: { ...ready(command.text.length * speechMsPerCharacter), ...unknown } }]
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
  const fault = faults.get(name.slice(name.lastIndexOf('/') + 1))
  if (fault !== undefined) return [{ afterMs: loadMs, event: { type: 'audio.failed', callId, requestId, ...fault } }]
  const missing = { type: 'audio.failed', callId, requestId, code: 'PLAY.0404', detail: name } as const
  return [{ afterMs: loadMs, event: name.includes('missing') ? missing : ready(2000) }]
}
