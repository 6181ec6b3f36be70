/** What a message may measure; anything beyond is refused unread. */
export const messageLimits = {
  /** Start line and header fields, bytes. */
  head: 64 * 1024,
  body: 256 * 1024,
  headers: 512,
} as const
