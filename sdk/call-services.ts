import type { MediaSettings } from './media/peer-connection.ts'
import type { Party } from './signaling/services.ts'
import type { UserAgentInput } from './signaling/user-agent.ts'

/** What a call uses of its phone. */
export interface CallServices {
  readonly media: MediaSettings
  handle(input: UserAgentInput): void
  /** The line stands, and we are registered on it. */
  isReady(): boolean
  /** The call's audio is interrupted: perhaps the line is dead too. */
  doubtLine(): void
  takeMicrophone(): Promise<MediaStreamTrack>
  giveBackMicrophone(track: MediaStreamTrack): void
  openSpeaker(stream: MediaStream): HTMLAudioElement
  closeSpeaker(element: HTMLAudioElement): void
  keyTone(tone: string): void
  listenerFailed(name: string, fault: unknown): void
}

export interface CallStart {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly party: Party
  /** The switch's name of the call, where it is known. */
  readonly sid?: string | undefined
  /** Their offer, for an inbound call. */
  readonly sdp?: string | undefined
}
