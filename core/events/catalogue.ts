/**
 * Every event, once. The docs page, the `X-Voice-Event` header and the outbox read this table.
 * `callback`: the `status` webhook gets it; the stream gets all.
 */
export const eventCatalogue = {
  'CALL.0100': { event: 'call.initiated', callback: true, when: 'A call has come in or has been placed.' },
  'CALL.0180': { event: 'call.ringing', callback: true, when: 'The remote rings.' },
  'CALL.0200': { event: 'call.answered', callback: true, when: 'The call is answered; talk time runs.' },
  'CALL.0300': { event: 'call.completed', callback: true, when: 'An answered call has ended.' },
  'CALL.0400': { event: 'call.failed', callback: true, when: 'A call has ended without an answer.' },
  'DIAL.0100': { event: 'dial.initiated', callback: true, when: 'A Dial places a leg, or asks for a place in a room.' },
  'DIAL.0180': { event: 'dial.ringing', callback: true, when: 'The dialled leg rings.' },
  'DIAL.0200': {
    event: 'dial.answered',
    callback: true,
    when: 'The dialled leg is answered, or the caller is in the room.',
  },
  'DIAL.0300': {
    event: 'dial.completed',
    callback: true,
    when: 'A dialled leg that was answered has ended, or the caller is out of the room.',
  },
  'DIAL.0400': {
    event: 'dial.failed',
    callback: true,
    when: 'A dialled leg has ended without an answer, or the room was full.',
  },
  'REC.0100': { event: 'recording.started', callback: true, when: 'A recording has begun.' },
  'REC.0200': { event: 'recording.available', callback: true, when: 'A recording can be downloaded.' },
  'REC.0300': { event: 'recording.deleted', callback: true, when: 'A recording has been deleted.' },
  'REC.0310': { event: 'recording.expired', callback: true, when: 'A recording has been purged at its expiry.' },
  'REC.0400': {
    event: 'recording.failed',
    callback: true,
    when: 'A recording could not be made, or was not begun: the quota of recordings is used up.',
  },
  'ACCT.0100': {
    event: 'account.quota',
    callback: false,
    when: 'The account has used 80 % of a quota; reported at most once an hour for each.',
  },
  'ACCT.0200': {
    event: 'account.operator-signed-in',
    callback: false,
    when: 'An operator has signed in to the portal as the account.',
  },
  'BILL.0100': { event: 'billing.low-balance', callback: true, when: 'The balance nears its end.' },
  'BILL.0200': { event: 'billing.settled', callback: true, when: 'A call has been charged.' },
  'DTMF.0100': { event: 'dtmf.received', callback: false, when: 'A digit was pressed.' },
  'WH.0100': { event: 'webhook.test', callback: true, when: 'A test of the status webhook was requested.' },
  'WH.0200': { event: 'webhook.delivered', callback: false, when: 'A status callback was delivered.' },
  'WH.0400': { event: 'webhook.failed', callback: false, when: 'All tries of a status callback failed.' },
  'PLAY.0400': { event: 'play.failed', callback: false, when: 'The audio cannot be played.' },
  'PLAY.0404': { event: 'play.asset-missing', callback: false, when: 'The asset does not exist.' },
  'PLAY.0408': { event: 'play.timeout', callback: false, when: 'The audio took more than 10 s to fetch.' },
  'PLAY.0413': { event: 'play.too-large', callback: false, when: 'The audio is larger than 20 MB.' },
  'PLAY.0415': { event: 'play.unsupported', callback: false, when: 'The audio is of a type that cannot be played.' },
  'SAY.0404': { event: 'say.voice-unknown', callback: false, when: 'The voice is unknown; the default spoke.' },
  'SAY.0413': { event: 'say.too-long', callback: false, when: 'The text has more than 4096 characters.' },
  'SAY.0500': {
    event: 'say.failed',
    callback: false,
    when: 'The speech engine failed; the text, or the rest of it, was not spoken.',
  },
  'DOC.0204': { event: 'document.unreachable-verbs', callback: false, when: 'Verbs stand where they can never run.' },
  'DOC.0400': { event: 'document.malformed', callback: false, when: 'Not well-formed, or the root is not Response.' },
  'DOC.0404': { event: 'document.no-route', callback: false, when: 'No document is set for this call.' },
  'DOC.0408': { event: 'document.timeout', callback: false, when: 'The document took more than 10 s.' },
  'DOC.0413': { event: 'document.too-large', callback: false, when: 'The document is larger than 64 KB.' },
  'DOC.0422': {
    event: 'document.problem',
    callback: false,
    when: 'An unknown verb or attribute, or a bad value, was skipped; a callerId that the account does not own, too.',
  },
  'DOC.0502': { event: 'document.failed', callback: false, when: 'The status was not 200, or the transport failed.' },
  'EVENT.0429': {
    event: 'event.omitted',
    callback: false,
    when: 'A call has ended that made more events than it may, 200 at once and 10 a second after that; what status callbacks carry was not left out.',
  },
} as const satisfies Record<string, { event: string; callback: boolean; when: string }>

/** A code of `eventCatalogue`, such as `CALL.0100`. */
export type EventCode = keyof typeof eventCatalogue
