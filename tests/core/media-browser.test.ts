import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { RtpMedia, type RtpMediaOptions } from '../../core/adapters/media/index.ts'
import type { CallUuid, LegUuid } from '../../core/model/ids.ts'
import type { MediaCommand, MediaEvent } from '../../core/ports/media.ts'
import { MediaPeer, sleep, testPorts } from '../rtp/media-peer.ts'
import { WeriftPeer } from './werift-peer.ts'

const leg = (name: string) => name as LegUuid
const callId = 'call' as CallUuid
const silentLog = { error() {}, warn() {}, info() {}, debug() {} }

class Bed {
  readonly media: RtpMedia
  readonly events: MediaEvent[]

  private constructor(media: RtpMedia, events: MediaEvent[]) {
    this.media = media
    this.events = events
  }

  static async open(changes: Partial<RtpMediaOptions> = {}, workers = 0): Promise<Bed> {
    const events: MediaEvent[] = []
    const media = await RtpMedia.open({
      settings: { externalAddress: undefined, media: { ports: testPorts(), workers, timeoutSeconds: 60 } },
      localAddressFor: () => '127.0.0.1',
      emit: event => events.push(event),
      random: { bytes: length => new Uint8Array(randomBytes(length)), uuid: () => 'uuid' },
      log: silentLog,
      bindAddress: '127.0.0.1',
      ...changes,
    })
    return new Bed(media, events)
  }

  do(command: MediaCommand): void {
    this.media.execute(command)
  }

  async next<Type extends MediaEvent['type']>(type: Type, name: string): Promise<Extract<MediaEvent, { type: Type }>> {
    for (let i = 0; i < 600; i++) {
      const at = this.events.findIndex(event => event.type === type && event.legId === name)
      if (at !== -1) return this.events.splice(at, 1)[0] as Extract<MediaEvent, { type: Type }>
      await sleep(5)
    }
    throw new Error(`no ${type} of ${name}: ${JSON.stringify(this.events)}`)
  }
}

const sdp = (port: number) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0 101\r\n` +
  'a=rtpmap:101 telephone-event/8000\r\n'
const portIn = (text: string) => Number(/^m=audio (\d+) /m.exec(text)?.[1])
test('a browser offers: answered, connected, both ways through a bridge to a trunk leg, untouched', async () => {
  const bed = await Bed.open()
  const browser = new WeriftPeer()
  const trunk = await MediaPeer.open()
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await browser.offer() })
  bed.do({ type: 'media.open', legId: leg('b'), callId, offer: sdp(trunk.port) })
  bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
  const answer = (await bed.next('media.opened', 'a')).sdp
  trunk.to = portIn((await bed.next('media.opened', 'b')).sdp)
  await browser.accept(answer)
  await browser.connected()
  await sleep(100)
  const said = randomBytes(160 * 20)
  const heard = randomBytes(160 * 20)
  await Promise.all([browser.speak(said), trunk.speak(heard)])
  await sleep(60)
  assert.ok(Buffer.concat(trunk.heard.map(it => it.payload)).includes(said))
  assert.ok(browser.audio.includes(heard))
  await bed.media.close()
  await browser.close()
  trunk.close()
})

test.after(() => {
  setImmediate(() => process.exit())
})
test.run()
