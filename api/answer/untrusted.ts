/**
 * Headers of what customers write or record. A browser that opens it runs no script of it, loads nothing for it, and
 * gives it an origin of its own: it reaches neither our pages nor their storage (an XHTML `<script>` would).
 */
export const untrustedHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const

/**
 * The same for audio by a signed link, which a customer's own page may play. A browser that opens the link itself plays
 * it in a page of the browser's making, which needs our origin to load it from; a script it runs in no case.
 */
export const untrustedAudioHeaders = {
  ...untrustedHeaders,
  'content-security-policy': "sandbox allow-same-origin; default-src 'none'; media-src 'self'",
  'cross-origin-resource-policy': 'cross-origin',
} as const
