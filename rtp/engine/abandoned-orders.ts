import type { EngineCommand } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'

/** The end of what a command ordered of a session that is not to be; undefined = no answer is expected. */
export const endOfAbandoned = (command: EngineCommand): EngineEvent | undefined => {
  const { session } = command
  switch (command.type) {
    case 'play':
      return { type: 'played', session, play: command.play, completed: false }
    case 'record':
    case 'record-session': {
      const { recording } = command
      return { type: 'recorded', session, recording, durationMs: 0, sizeBytes: 0, endedBy: 'failed' }
    }
    case 'send-digits':
      return { type: 'digits-sent', session, digitsId: command.digitsId }
    default:
      return undefined
  }
}
