/** What a message may measure; anything beyond is refused unread. */
export const messageLimits = {
  /** The whole message. A datagram holds no more, and what is good for one is good for a stream. */
  bytes: 65_535,
  headers: 512,
} as const
