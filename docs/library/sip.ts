import { createHash } from 'node:crypto'
import {
  answerChallenge,
  answerOffer,
  formatMessage,
  formatSdp,
  headerOf,
  parseChallenge,
  parseMessage,
  parseSdp,
  parseUri,
  parseVia,
  pcma,
  pcmu,
  userOf,
  withHeaderAdded,
} from 'sauti/sip'

// A datagram is a message or a fault; nothing throws.
const octets = new TextEncoder().encode(
  'OPTIONS sip:%61mina@b.test SIP/2.0\r\nVia: SIP/2.0/UDP a.test;branch=z9hG4bK1\r\nCall-ID: 1@a.test\r\n\r\n',
)
const parsed = parseMessage(octets)
if (!parsed.ok) throw new Error(`${parsed.reason} at octet ${parsed.at}`)
const message = parsed.value
console.log(headerOf(message, 'i'))

const uri = parseUri(message.kind === 'request' ? message.uri : '')
console.log(uri.ok && userOf(uri.value))
const via = parseVia(headerOf(message, 'Via') ?? '')
console.log(via.ok && via.value.host)

// Messages are values: a change gives another one.
console.log(formatMessage(withHeaderAdded(message, 'Max-Forwards', '70')).length)

// Digest: the hash comes from whoever has one, here Node.
const hash = (algorithm: string, text: string) =>
  createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(text)
    .digest('hex')
const challenge = parseChallenge('Digest realm="b.test", nonce="n1", qop="auth", algorithm=SHA-256')
if (challenge.ok) {
  const rules = {
    hash,
    username: 'amina',
    password: 'secret',
    method: 'OPTIONS',
    uri: 'sip:b.test',
    cnonce: 'c1',
    count: 1,
  }
  console.log(answerChallenge(challenge.value, rules).slice(0, 23))
}

// An offer is answered with a codec of ours.
const offer = parseSdp(
  'v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 0\r\n',
)
if (offer.ok) {
  const where = { address: '198.51.100.7', port: 10_000 }
  const local = { ...where, codecs: [pcmu, pcma], telephoneEvent: 101, ptimeMs: 20, sessionId: '7' }
  const answered = answerOffer(offer.value, local)
  if (answered.ok) console.log(formatSdp(answered.value.answer), answered.value.negotiated.codec.name)
}
