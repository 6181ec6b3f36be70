import { opusPayloadType } from '../soak/soak-plan.ts'

/** What one side says, and in what: the line of the SDP, and sipp's action. */
export interface Speech {
  readonly payloadType: number
  readonly encoding: string
  /** sipp's keyword for the port that its packets come from. */
  readonly port: string
  readonly action: string
}

export const streamOf = (file: string, payloadType: number, encoding: string): Speech => ({
  payloadType,
  encoding,
  port: '[rtpstream_audio_port]',
  action: `rtp_stream="${file},-1,${payloadType},${encoding}"`,
})
export const captureOf = (file: string): Speech => ({
  payloadType: opusPayloadType,
  encoding: 'opus/48000/2',
  port: '[auto_media_port]',
  action: `play_pcap_audio="${file}"`,
})

const sdp = ({ payloadType, encoding, port }: Speech): string => `v=0
o=sipp 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio ${port} RTP/AVP ${payloadType}
a=rtpmap:${payloadType} ${encoding}
a=ptime:20`

const request = (
  method: string,
  sequence: number,
  uri: string,
  to: string,
  body = '',
): string => `${method} ${uri} SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:[caller]@[local_ip]:[local_port]>;tag=[pid]a[call_number]
${to}
Call-ID: [call_id]
CSeq: ${sequence} ${method}
Contact: <sip:[caller]@[local_ip]:[local_port]>
Max-Forwards: 70
${body === '' ? 'Content-Length: 0\n' : `Content-Type: application/sdp\nContent-Length: [len]\n\n${body}`}`

const response = (status: string, to: string, body = ''): string => `SIP/2.0 ${status}
[last_Via:]
[last_From:]
${to}
[last_Call-ID:]
[last_CSeq:]
Contact: <sip:[local_ip]:[local_port];transport=[transport]>
${body === '' ? 'Content-Length: 0\n' : `Content-Type: application/sdp\nContent-Length: [len]\n\n${body}`}`

const send = (message: string, attributes = ''): string => `<send${attributes}><![CDATA[\n${message}\n]]></send>`
const scenario = (name: string, ...steps: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8" ?>\n<scenario name="${name}">\n${steps.join('\n')}\n</scenario>\n`

/** Calls, speaks for sipp's pause, and hangs up. */
export const callerScenario = (speech: Speech): string =>
  scenario(
    'caller',
    send(
      request('INVITE', 1, 'sip:[service]@[remote_ip]:[remote_port]', 'To: <sip:[service]@[remote_ip]>', sdp(speech)),
      ' retrans="500"',
    ),
    '<recv response="100" optional="true"/><recv response="180" optional="true"/><recv response="183" optional="true"/>',
    '<recv response="200" rrs="true"/>',
    send(request('ACK', 1, '[next_url]', '[last_To:]')),
    `<nop><action><exec ${speech.action}/></action></nop>`,
    '<pause/>',
    send(request('BYE', 2, '[next_url]', '[last_To:]'), ' retrans="500"'),
    '<recv response="200"/>',
  )

/** Rings, answers and speaks until the other side hangs up. */
export const calleeScenario = (speech: Speech): string =>
  scenario(
    'callee',
    '<recv request="INVITE"/>',
    send(response('180 Ringing', '[last_To:];tag=[pid]b[call_number]')),
    send(response('200 OK', '[last_To:];tag=[pid]b[call_number]', sdp(speech)), ' retrans="500"'),
    '<recv request="ACK"/>',
    `<nop><action><exec ${speech.action}/></action></nop>`,
    '<recv request="BYE"/>',
    send(response('200 OK', '[last_To:]')),
  )
