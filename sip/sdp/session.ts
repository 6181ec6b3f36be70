/** `a=name` or `a=name:value`, as written. */
export interface Attribute {
  readonly name: string
  readonly value: string | undefined
}

/** `o=`: who made the session; the version moves on with every change (RFC 8866 §5.2). */
export interface Origin {
  readonly username: string
  readonly sessionId: string
  readonly sessionVersion: string
  readonly addressType: string
  readonly address: string
}

/** `c=IN <addressType> <address>[/ttl[/count]]`; `scope` holds what follows the first slash. */
export interface Connection {
  readonly addressType: string
  readonly address: string
  readonly scope: string | undefined
}

/** `m=` and the lines below it. */
export interface MediaDescription {
  readonly media: string
  /** 0 = refused or switched off (RFC 3264 §6, §8.2). */
  readonly port: number
  readonly portCount: number | undefined
  readonly protocol: string
  /** Payload types for RTP, else whatever the protocol names. */
  readonly formats: readonly string[]
  readonly title: string | undefined
  readonly connections: readonly Connection[]
  readonly bandwidths: readonly string[]
  readonly key: string | undefined
  readonly attributes: readonly Attribute[]
}

/** RFC 8866 §5. Lines that we do not act on stand as they were written. */
export interface SessionDescription {
  /** Undefined: missing or unreadable, which some peers live with. */
  readonly origin: Origin | undefined
  readonly name: string
  readonly information: string | undefined
  readonly uri: string | undefined
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  readonly connection: Connection | undefined
  readonly bandwidths: readonly string[]
  /** `t=`, `r=` and `z=` lines, whole. */
  readonly timing: readonly string[]
  readonly key: string | undefined
  readonly attributes: readonly Attribute[]
  readonly media: readonly MediaDescription[]
}

/** What a session description may measure; anything beyond is a fault. */
export const sdpLimits = {
  /** Characters. */
  length: 256 * 1024,
  media: 64,
  formats: 256,
} as const
