export interface SenderEvents {
  played(playId: string, completed: boolean): void
  digitsSent(digitsId: string): void
  /** A frame of a play goes out: a whole packet, due at `at`. */
  promptFrame(packet: Uint8Array, length: number, at: number): void
}

/** Where packets go, while any may be sent. */
export interface Destination {
  address: number
  port: number
  maySend(): boolean
  /** A packet went there. */
  sent(): void
}
