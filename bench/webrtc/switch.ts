import { randomBytes } from 'node:crypto'
import { RtpMedia } from '../../core/adapters/media/index.ts'
import type { CallUuid, LegUuid } from '../../core/model/ids.ts'
import { serveQuestions } from '../subject.ts'
import type { WebrtcQuestion } from './questions.ts'

// Media as the switch runs it, SDP included, in this process so that its processor time is the process's.
const answers = new Map<string, (sdp: string) => void>()
const closed = new Map<string, () => void>()
const media = await RtpMedia.open({
  settings: {
    externalAddresses: [],
    media: { ports: [30_000, 39_998], workers: 0, timeoutSeconds: 60, weakFingerprints: false },
  },
  localAddressFor: () => '127.0.0.1',
  emit: event => {
    if (event.type === 'media.opened') answers.get(event.legId)?.(event.sdp)
    if (event.type === 'media.closed') closed.get(event.legId)?.()
  },
  random: { bytes: length => new Uint8Array(randomBytes(length)), uuid: () => 'bench' },
  log: { error() {}, warn() {}, info() {}, debug() {} },
  bindAddress: '127.0.0.1',
})
const callId = 'bench' as CallUuid
let legs: LegUuid[] = []
let opened = 0

serveQuestions<WebrtcQuestion>(async question => {
  if (question.type === 'close') {
    const gone = legs.map(legId => new Promise<void>(resolve => closed.set(legId, resolve)))
    for (const legId of legs) media.execute({ type: 'media.close', legId })
    legs = []
    await Promise.all(gone)
    answers.clear()
    closed.clear()
    return 'closed'
  }
  const made = question.offers.map(offer => {
    const legId = `leg-${opened++}` as LegUuid
    legs.push(legId)
    const answer = new Promise<string>(resolve => answers.set(legId, resolve))
    media.execute({ type: 'media.open', legId, callId, offer })
    return { legId, answer }
  })
  const reported = await Promise.all(made.map(({ answer }) => answer))
  for (let i = 0; question.bridged && i + 1 < made.length; i += 2)
    media.execute({ type: 'media.bridge', legId: made[i]!.legId, otherLegId: made[i + 1]!.legId })
  return reported
})
