import type { AccountUuid, CallUuid } from '../model/ids.ts'

/** Turns what a document names into a WAV file on this machine. Cached by content; never blocks another call. */
export type AudioCommand =
  /** `voice` and `language` as the document wrote them; an unknown voice falls back to the default and says so. */
  | {
      readonly type: 'audio.speak'
      readonly callId: CallUuid
      readonly requestId: string
      /** Whose words they are: accounts take turns. */
      readonly accountId: AccountUuid
      /** Plain words. */
      readonly text: string
      /** The same as SSML, rooted in `<speak>`: spoken instead of `text` where the engine understands it. */
      readonly ssml?: string
      readonly voice?: string
      readonly language?: string
    }
  | {
      readonly type: 'audio.load'
      readonly callId: CallUuid
      readonly requestId: string
      readonly accountId: AccountUuid
      readonly source: { readonly asset: string } | { readonly url: string }
    }

export type AudioEvent =
  | {
      readonly type: 'audio.ready'
      readonly callId: CallUuid
      readonly requestId: string
      readonly path: string
      readonly durationMs: number
      /** The voice was unknown and the default spoke instead: SAY.0404. */
      readonly unknownVoice?: string
      /** A long text, whose first piece is there: it is played while the rest is spoken. `audio.grown` follows. */
      readonly isGrowing?: true
    }
  /**
   * More of a growing text is ready: `durationMs` in all. The last event says that it is complete, or why it ended
   * early.
   */
  | {
      readonly type: 'audio.grown'
      readonly callId: CallUuid
      readonly requestId: string
      readonly durationMs: number
      readonly isWhole: boolean
      /** SAY.0500: the rest could not be spoken. */
      readonly detail?: string
    }
  | {
      readonly type: 'audio.failed'
      readonly callId: CallUuid
      readonly requestId: string
      readonly code: 'PLAY.0404' | 'PLAY.0400' | 'PLAY.0408' | 'PLAY.0413' | 'PLAY.0415' | 'SAY.0500'
      readonly detail: string
    }

export interface Audio {
  execute(command: AudioCommand): void
  /** The call is over: what is made for it alone is stopped; its files may go. */
  abandon(callId: CallUuid): void
}
