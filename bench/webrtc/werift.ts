import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpPacket } from 'werift'
import { serveQuestions } from '../subject.ts'
import type { WebrtcQuestion } from './questions.ts'

// The same with werift's RTCPeerConnection: what one leg hears is written to the other's track, or sent as it is to a
// plain leg's port.
const codec = new RTCRtpCodecParameters({ mimeType: 'audio/PCMU', clockRate: 8000, channels: 1, payloadType: 0 })

interface Leg {
  readonly answer: string
  readonly say: (packet: RtpPacket) => void
  readonly hear: (listener: (packet: RtpPacket) => void) => void
  readonly close: () => Promise<void>
}

async function browserLeg(offer: string): Promise<Leg> {
  const pc = new RTCPeerConnection({
    codecs: { audio: [codec] },
    iceServers: [],
    iceAdditionalHostAddresses: ['127.0.0.1'],
  })
  const track = new MediaStreamTrack({ kind: 'audio' })
  const listeners: ((packet: RtpPacket) => void)[] = []
  pc.onTrack.subscribe(received => {
    received.onReceiveRtp.subscribe(packet => {
      for (const listener of listeners) listener(packet)
    })
  })
  pc.addTransceiver(track, { direction: 'sendrecv' })
  await pc.setRemoteDescription({ type: 'offer', sdp: offer })
  await pc.setLocalDescription(await pc.createAnswer())
  while (pc.iceGatheringState !== 'complete') await new Promise(resolve => setTimeout(resolve, 5))
  return {
    answer: pc.localDescription?.sdp ?? '',
    say: packet => track.writeRtp(packet),
    hear: listener => listeners.push(listener),
    close: () => pc.close(),
  }
}

async function plainLeg(offer: string): Promise<Leg> {
  const socket: Socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const remote = Number(/^m=audio (\d+) /m.exec(offer)?.[1])
  return {
    answer: offer.replace(/^m=audio \d+/m, `m=audio ${socket.address().port}`),
    say: packet => socket.send(packet.serialize(), remote, '127.0.0.1'),
    hear: listener => socket.on('message', bytes => listener(RtpPacket.deSerialize(bytes))),
    close: async () => void socket.close(),
  }
}

let legs: Leg[] = []

serveQuestions<WebrtcQuestion>(async question => {
  if (question.type === 'close') {
    await Promise.all(legs.map(leg => leg.close()))
    legs = []
    return 'closed'
  }
  const made = await Promise.all(
    question.offers.map(offer => (offer.includes('a=fingerprint') ? browserLeg(offer) : plainLeg(offer))),
  )
  legs.push(...made)
  for (let i = 0; question.bridged && i + 1 < made.length; i += 2) {
    const [a, b] = [made[i]!, made[i + 1]!]
    a.hear(packet => b.say(packet))
    b.hear(packet => a.say(packet))
  }
  return made.map(({ answer }) => answer)
})
