import { assertNever } from '../base/assert-never.ts'
import type { EngineCommand } from '../contract/command.ts'
import type { RecordingStore } from '../contract/recording-sink.ts'
import { channelsOf } from '../record/session-recorder.ts'
import type { MediaSession } from '../session/media-session.ts'

type RecordingCommand = Extract<
  EngineCommand,
  { readonly type: 'record' | 'record-session' | 'pause-record' | 'resume-record' | 'stop-record' }
>

/** Has a session record, or do with its recordings what is ordered. */
export function orderRecording(
  session: MediaSession,
  command: RecordingCommand,
  store: RecordingStore,
  now: number,
): void {
  const { recording } = command
  switch (command.type) {
    case 'record': {
      const { path, rules } = command
      session.sender.isTalking = true
      session.record(recording, sampleRate => store.open(path, 1, sampleRate), rules, now)
      return
    }
    case 'record-session': {
      const { path, rules } = command
      session.recordings.recordSession(recording, () => store.open(path, channelsOf(rules)), rules, now)
      return
    }
    case 'pause-record':
      session.recordings.pause(recording, now)
      return
    case 'resume-record':
      session.recordings.resume(recording)
      return
    case 'stop-record':
      session.recordings.stop(recording, now)
      return
    default:
      assertNever(command)
  }
}
