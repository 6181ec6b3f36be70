import type { ListenAddress } from './sip-transport-config.ts'

/** Which of the addresses cannot be bound; the system's error is the `cause`. */
export class ListenFault extends Error {
  readonly listener: ListenAddress

  constructor(listener: ListenAddress, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.listener = listener
  }
}
