import { headerOf, parseMessage, parseSdp } from 'sauti/sip'

const octets = new TextEncoder().encode(
  'OPTIONS sip:b@b.test SIP/2.0\r\nCall-ID: 1@a.test\r\nContent-Length: 0\r\n\r\n',
)
const parsed = parseMessage(octets)
console.log(parsed.ok ? headerOf(parsed.value, 'Call-ID') : parsed.reason)

const sdp = parseSdp('v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n')
console.log(sdp.ok ? sdp.value.media[0]?.port : sdp.reason)
