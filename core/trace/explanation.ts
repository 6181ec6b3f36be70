import { type ConnectionFault, plainDetail } from '../model/connection-fault.ts'
import { type EndReason, endReasons } from '../model/end-reason.ts'
import { q850Text } from '../model/q850.ts'
import { type EndFacts, type Explanation, placeOf, sayingOf } from './end-facts.ts'

const who = ({ number }: EndFacts, otherwise = 'The remote'): string => (number ? number : otherwise)
const said = ({ response }: EndFacts): string => (response === undefined ? '' : ` It answered ${response}.`)
const of = ({ document }: EndFacts, otherwise = 'the webhook'): string => document?.url ?? otherwise
const detail = ({ document }: EndFacts): string => {
  const known = document && plainDetail(document)
  return known ? ` (${known})` : ''
}

/** What one side could speak, where it was the other one that refused. */
function sharing(facts: EndFacts): string {
  const { response, offered = [], codecs = [] } = facts
  if (response !== undefined)
    return offered.length === 0 ? '' : ` ${who(facts)} was offered only ${offered.join(', ')}.`
  return codecs.length === 0 ? '' : ` ${who(facts, 'The caller')} offers only ${codecs.join(', ')}.`
}

type Case = NonNullable<Explanation['cases']>[number]

const asAsked =
  'The document asks for it. To take such calls, mend the document at that place, or give it a verb such as <Say> or <Dial>.'

const refusing: ReadonlySet<string> = new Set(['Hangup', 'Reject'])

/** Not the called party but the document: `how` it refused. */
const refusedByDocument = (how: string): Case => ({
  when: ({ verb }) => refusing.has(verb?.name ?? ''),
  why: ({ verb }) =>
    `The document refused the call${how}: ${verb ? `<${verb.name}> in ${placeOf(verb)}` : '<Reject>'}.`,
  advice: asAsked,
})

const dialsItself: Case = {
  when: ({ isOwnNumber }) => isOwnNumber === true,
  why: facts => `${who(facts)} dials itself: the <Dial> of its document names the number that the call came to.`,
  advice:
    'Dial another number or an end-user (<Client>) in that document: each call to the number makes one more, until the switch ends them all.',
}

const dialEachOther: Case = {
  when: ({ dialsBack }) => dialsBack !== undefined,
  why: facts =>
    `${facts.dialsBack} and ${who(facts)} dial each other: the <Dial> of each document names the other number.`,
  advice:
    'Dial another number or an end-user (<Client>) in one of their documents: each call makes one more, until the switch ends them all.',
}

const circle: Case = {
  when: ({ isCircle }) => isCircle === true,
  why: facts =>
    `${who(facts, 'A number')} dials in a circle: from document to document, <Dial> leads back to a number that had dialled before.`,
  advice: dialEachOther.advice,
}

/** Numbers whose documents lead back to them. */
const loops: readonly Case[] = [dialsItself, dialEachOther, circle]

const failedRequest = (facts: EndFacts): string => `${of(facts)} failed${detail(facts)}, so the fallback ran.`
const causedBy =
  (...causes: readonly ConnectionFault[]) =>
  ({ document }: EndFacts): boolean =>
    document?.cause !== undefined && causes.includes(document.cause)

/** Requests that no web server has in its log. */
const unasked: readonly Case[] = [
  {
    when: causedBy(
      'certificate-expired',
      'certificate-early',
      'certificate-self-signed',
      'certificate-unknown-issuer',
      'certificate-other-host',
      'certificate-refused',
    ),
    why: failedRequest,
    advice:
      'The connection failed before any request: the log of the web server shows none. Give the web server a certificate that is valid now, names this host and is of a public authority, with its whole chain.',
  },
  {
    when: causedBy('not-tls', 'no-tls'),
    why: failedRequest,
    advice:
      'The connection failed before any request: the log of the web server shows none. Check scheme and port of the URL: `https` wants a port with TLS 1.2 or later (mostly 443), `http` one without.',
  },
  {
    when: causedBy('no-name', 'no-dns'),
    why: failedRequest,
    advice:
      'No request was sent: no web server has it in its log. Check the host name in the URL for a mistake, and that public DNS has an address for it (A or AAAA).',
  },
  {
    when: causedBy('connection-refused', 'no-way', 'not-connected'),
    why: failedRequest,
    advice:
      'No request arrived: the log of the web server shows none. Check that the web server runs and listens at the host and port of the URL, and that no firewall keeps the switch out.',
  },
  {
    when: ({ document }) => document?.detail.endsWith(' is no public address') === true,
    why: failedRequest,
    advice:
      'No request was sent: webhooks go to public addresses only. Give the URL a public host; the operator of a switch for tests may set SAUTI_ALLOW_PRIVATE_URLS.',
  },
]

/** Why each kind of end comes about and what to do: trace, CLI, `/docs/reasons` and docs/reasons.md read this table. */
export const explanations: Readonly<Record<EndReason, Explanation>> = {
  'END.0200': {
    cases: [
      {
        when: ({ cut }) => cut !== undefined,
        why: ({ hungUp, cut = 0 }) => `The call was cut on the side of ${hungUp || 'one party'}: ${q850Text(cut)}.`,
        advice:
          'No person hung up: a network ended the call. If it goes on, tell the operator, who gives the carrier the Call-ID and the time of the BYE.',
      },
    ],
    why: ({ hungUp }) => `${hungUp || 'One party'} hung up after the call was answered.`,
    advice: '',
  },
  'END.0201': { why: () => 'The API was asked to hang up (`POST /calls/hangup`, or the portal).', advice: '' },
  'END.0202': {
    cases: [
      {
        when: ({ isUnanswered }) => isUnanswered === true,
        why: ({ verb }) =>
          `The document ended the call before it was answered${verb && refusing.has(verb.name) ? `: <${verb.name}> in ${placeOf(verb)}` : ''}; the caller was refused.`,
        advice:
          'To be answered, the call needs a verb that is played or recorded (<Say>, <Play>, <Record>, <Gather>) or a <Dial> that is answered, before the document ends.',
      },
    ],
    why: () => 'The document had come to its end, or to a <Hangup/>.',
    advice: '',
  },
  'END.0210': {
    why: () => 'The timeLimit of the <Dial> was reached.',
    advice: 'Where calls should last longer, set timeLimit of <Dial> higher (at most 14400 seconds).',
  },
  'END.0211': {
    why: () => 'The balance was used up while the call went on; it was cut at the last second that was paid for.',
    advice: 'Top up the wallet, or have a credit limit set. The event BILL.0100 warns before the cut.',
  },
  'END.0212': {
    why: facts => {
      if (facts.silent !== undefined)
        return `No sound (RTP) came from ${facts.silent || 'one party'} for the media timeout, so the call was ended.`
      return `The connection to ${who(facts, 'one party')} was lost: no RTP came for the media timeout, or its session timer was not refreshed (RFC 4028).`
    },
    advice:
      'Look at the sound that was received (RTP): if it stops, a network, a NAT or a firewall drops UDP, or the phone was switched off. If only signalling stopped, the peer or a proxy lost the dialog.',
  },
  'END.0400': {
    cases: loops,
    why: facts => `${who(facts)} rejected the request.${said(facts)}`,
    advice: 'Open the SIP response in the ladder: its Reason or Warning header says what was wrong with the request.',
  },
  'END.0402': {
    why: facts =>
      facts.response === undefined
        ? 'The balance does not cover the call: not even its first seconds could be paid for.'
        : `${who(facts)} refused for lack of funds.${said(facts)}`,
    advice:
      'Top up the wallet, or check the rate of the destination. If the carrier answered 402, its own account needs money.',
  },
  'END.0403': {
    why: facts => `The call to ${who(facts, 'this destination')} is forbidden.${said(facts)}`,
    advice:
      'Check that the number in callerId is active and yours, and that the SIP URI is a public one. If a carrier answered 403, it does not accept this caller ID, destination or address.',
  },
  'END.0404': {
    why: facts => `${who(facts, 'The number')} is not in service, or there is no route to it.${said(facts)}`,
    advice:
      'Check the number (E.164, with + and country code). If no SIP message went out, no trunk or rate has a prefix that fits it: ask the operator.',
  },
  'END.0406': {
    why: facts => `${who(facts)} does not accept what was offered.${said(facts)}`,
    advice: 'Compare the offer in the INVITE with what the remote supports.',
  },
  'END.0408': {
    why: facts => `${facts.number ? `${facts.number} did not answer` : 'Nobody answered'} in time.${said(facts)}`,
    advice: 'Ring longer (timeout of <Dial> or of originate), or add a <Dial> action that offers voicemail.',
  },
  'END.0410': {
    why: facts => `${who(facts, 'The number')} has changed or moved.${said(facts)}`,
    advice: 'Ask for the new number. Redirections (3xx) are not followed, since they would spend your money elsewhere.',
  },
  'END.0480': {
    cases: loops,
    why: facts => `${who(facts)} is not available now.${said(facts)}`,
    advice: 'Try again later. The phone may be switched off or outside of coverage.',
  },
  'END.0484': {
    why: facts => `The number${facts.number ? ` ${facts.number}` : ''} is incomplete.${said(facts)}`,
    advice: 'Write the number in E.164: +, country code, whole number.',
  },
  'END.0486': {
    cases: [refusedByDocument(' as busy')],
    why: facts => `${who(facts)} is busy.${said(facts)}`,
    advice: 'Try again later, or give <Dial> an action that offers voicemail or another number.',
  },
  'END.0487': {
    why: () => 'The caller hung up before the call was answered.',
    advice: 'If this happens after many seconds, look at how long ringing and the first document took.',
  },
  'END.0488': {
    why: facts =>
      `There is no codec that both sides speak: they share no format of sound.${sharing(facts)}${said(facts)}`,
    advice:
      'Allow PCMA, PCMU, G722 or opus at the remote, or ask the operator to widen `codecs` of the trunk. Where SRTP is required on one side only, the offer is refused in the same way.',
  },
  'END.0500': {
    why: facts => `The carrier failed.${said(facts)}`,
    advice:
      'Every trunk that fits was tried. If it goes on, tell the operator, who gives the carrier the Call-ID and the time of the response.',
  },
  'END.0503': {
    why: facts =>
      facts.response === undefined
        ? `No trunk could take the call to ${who(facts, 'this number')}: none has a prefix that fits it, or all are full or out of service.`
        : `The carrier had no room or was out of service.${said(facts)}`,
    advice:
      'Ask the operator, who checks that a trunk has a prefix for the number (`GET /operator/trunks`). A second trunk for the same prefix takes over when this one fails.',
  },
  'END.0603': {
    cases: [
      refusedByDocument(''),
      {
        when: ({ document, verb, number }) =>
          document?.fault === undefined && document !== undefined && !verb && !number,
        why: facts => `The document of ${of(facts)} is an empty <Response/>, which refuses the call.`,
        advice: asAsked,
      },
      ...loops,
    ],
    why: facts => `The call was declined${facts.number ? ` by ${facts.number}` : ''}.${said(facts)}`,
    advice:
      'A person who declines can be called again later. If a document rejected it (<Hangup reason="rejected"/> or an empty <Response/>), that is what it asks for.',
  },
  'END.1401': {
    why: facts => `The trunk did not accept our credentials.${said(facts)}`,
    advice: 'The operator checks username and password of the trunk, and the realm that the carrier challenges with.',
  },
  'END.1408': {
    why: facts =>
      `${who(facts, 'The destination')} could not be reached: no SIP response came, or DNS, TCP or TLS failed.`,
    advice:
      'For a number ask the operator: its carrier did not answer. For a SIP address check host, port and transport, that a firewall lets SIP through, and that the name resolves.',
  },
  'END.1480': {
    why: facts => `No softphone of ${who(facts, 'the end-user')} is registered.`,
    advice:
      'Check that the document names an extension or a client that exists. The person then opens the phone and signs in. `GET /users/` shows all end-users and who is registered.',
  },
  'END.2408': {
    why: () => 'No media session could be opened: no free port, or no media thread.',
    advice: 'The operator widens SAUTI_MEDIA_PORTS or adds media threads, and looks at the log.',
  },
  'END.2409': {
    why: () => 'The browser and the switch could not agree on keys: the DTLS handshake failed.',
    advice:
      'Reload the phone. If it goes on, a proxy changes the SDP: its fingerprint must reach the switch unchanged.',
  },
  'END.2410': {
    why: () => 'No path for sound was found between the browser and the switch: ICE failed.',
    advice:
      'Try another network first: this one may block UDP. The operator opens UDP to the media ports, sets SAUTI_EXTERNAL_ADDRESS behind NAT, and SAUTI_TURN for networks that block UDP.',
  },
  'END.3404': {
    why: facts =>
      `There is no document for the call: ${facts.document ? of(facts) + detail(facts) : 'no webhook is set for the number'}.`,
    advice: 'Give the number or the account a voice webhook, or a document that exists.',
  },
  'END.3408': {
    cases: [
      {
        when: causedBy('not-connected'),
        why: facts => `No connection to ${of(facts)} came about within 10 seconds, so the fallback ran.`,
        advice:
          'No request arrived: the log of the web server shows none. Check host and port of the URL, and that no firewall keeps the switch out.',
      },
    ],
    why: facts => `${of(facts)} did not answer within 10 seconds, so the fallback ran.`,
    advice: 'Answer the webhook at once and do slow work afterwards. The trace shows how long each request took.',
  },
  'END.3413': {
    why: facts => `The document of ${of(facts)} is larger than 64 KB, so the fallback ran.`,
    advice: 'Make it smaller; use <Redirect> to go on with a second document.',
  },
  'END.3422': {
    why: facts =>
      `The document of ${of(facts)} cannot be run${facts.problem === undefined ? '' : `: line ${facts.problem.line}, column ${facts.problem.column}: ${facts.problem.message}`}. The fallback ran.`,
    advice: 'Mend the document at that place; `POST /documents/check` reports its problems before a call does.',
  },
  'END.3482': {
    cases: loops,
    why: () =>
      'More than 50 documents followed each other without a second of audio, numbers of this switch dialled one another in a loop, or more than 20 legs to numbers and phones of this switch came of one call.',
    advice: 'Break the loop of <Redirect> or of <Dial>, or dial fewer numbers and phones at once.',
  },
  'END.3502': {
    cases: unasked,
    why: failedRequest,
    advice: 'The webhook must answer 200 with a document. Look at its log for the time of this request.',
  },
  'END.4403': {
    why: () => 'The account is suspended.',
    advice: 'Settle it with the operator. A suspended account can read but not place calls.',
  },
  'END.4429': {
    why: () => 'The account had as many live calls or legs as it may have.',
    advice: 'End calls that are not needed, or ask the operator for a higher cap.',
  },
  'END.4430': {
    why: () => 'The account placed more calls a second than it may.',
    advice: 'Place calls more slowly, or ask the operator for a higher cap.',
  },
  'END.4433': {
    why: facts => `Calls to ${who(facts, 'this destination')} are not allowed.`,
    advice:
      'Ask the operator: a destination without a rate is not offered, and premium and satellite prefixes are blocked until they are allowed.',
  },
  'END.5410': {
    why: () => 'The switch was restarted while the call went on.',
    advice:
      'It is billed up to the last heartbeat. The operator looks at why the process ended; `sauti drain` lets calls end first.',
  },
  'END.5500': {
    why: () => 'The switch had a fault of its own.',
    advice: 'The operator finds the fault in the log by the sid of this call.',
  },
  'END.5503': {
    why: () => 'The switch was draining and ended the call.',
    advice: 'Call again once it is back.',
  },
}

/** The page of all reasons, on every server. */
export const reasonsPath = '/docs/reasons'

/** Its place on that page. */
export const linkOf = (code: string): string => `${reasonsPath}#${code}`

export const endOf = (reason: EndReason, facts: EndFacts) => ({
  reason_code: reason,
  reason_label: endReasons[reason].label,
  ...sayingOf(explanations[reason], facts),
  link: linkOf(reason),
})
