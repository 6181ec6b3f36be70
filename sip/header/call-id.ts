import type { Parsed } from '../base/parsed.ts'

// RFC 3261 §25.1: word [ "@" word ]; a word is token characters and ()<>:\"/[]?{}
const callId = /^[-.!%*_+`'~()<>:\\"/[\]?{}0-9A-Za-z]+(?:@[-.!%*_+`'~()<>:\\"/[\]?{}0-9A-Za-z]+)?$/
// A second @ or another visible character is a harmless fault of the remote's.
const opaque = /^[^\s\x00-\x1f\x7f]+$/

/** Compared letter by letter. */
export function parseCallId(text: string): Parsed<string, 'bad-call-id'> {
  return callId.test(text) || opaque.test(text)
    ? { ok: true, value: text }
    : { ok: false, reason: 'bad-call-id', at: 0 }
}
