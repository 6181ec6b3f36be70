const badEscape = /%(?![0-9A-Fa-f]{2})/
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export const hasBadEscape = (text: string): boolean => text.includes('%') && badEscape.test(text)

/**
 * Every %HH becomes its octet, once, and the octets are read as UTF-8; what comes out is text and is never unescaped
 * again (RFC 4475 §3.1.1.3). A percent sign without two hex digits stays.
 */
export function unescapeUri(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, run =>
    decoder.decode(Uint8Array.from(run.slice(1).split('%'), hex => Number.parseInt(hex, 16))),
  )
}

/** `kept`: the characters that stand as they are. */
function escapeWith(kept: string): (text: string) => string {
  const keep = new RegExp(`^[${kept}]$`)
  const all = new RegExp(`^[${kept}]*$`)
  return text => {
    if (all.test(text)) return text
    let escaped = ''
    for (const char of text) {
      if (keep.test(char)) escaped += char
      else for (const byte of encoder.encode(char)) escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    }
    return escaped
  }
}

// RFC 3261 §25.1: unreserved, and what else may stand bare in each place.
/** For the user part of a SIP URI. */
export const escapeUser = escapeWith(String.raw`A-Za-z0-9\-_.!~*'()&=+$,;?/`)
/** For a parameter's value. */
export const escapeParameter = escapeWith(String.raw`A-Za-z0-9\-_.!~*'()[\]/:&+$`)
/** For a header's name or value. */
export const escapeHeader = escapeWith(String.raw`A-Za-z0-9\-_.!~*'()[\]/?:+$`)
