import { randomBytes } from 'node:crypto'
import * as assert from 'uvu/assert'
import { RtpMedia } from '../../../core/adapters/media/index.ts'
import type { RtpMediaOptions } from '../../../core/adapters/media/rtp-media-options.ts'
import { silentLog } from '../../../core/adapters/system/silent-log.ts'
import type { CallUuid, LegUuid } from '../../../core/model/ids.ts'
import type { MediaCommand, MediaEvent } from '../../../core/ports/media.ts'
import { sleep, testPorts } from '../../rtp/bed/media-peer.ts'

export const leg = (name: string) => name as LegUuid
export const callId = 'call' as CallUuid

/** The media port on real sockets, with its events. */
export class MediaBed {
  readonly media: RtpMedia
  readonly events: MediaEvent[]

  private constructor(media: RtpMedia, events: MediaEvent[]) {
    this.media = media
    this.events = events
  }

  static async open(changes: Partial<RtpMediaOptions> = {}, workers = 0): Promise<MediaBed> {
    const events: MediaEvent[] = []
    const media = await RtpMedia.open({
      settings: {
        externalAddresses: [],
        media: { ports: testPorts(), workers, timeoutSeconds: 60, weakFingerprints: false },
      },
      localAddressFor: () => '127.0.0.1',
      emit: event => events.push(event),
      random: { bytes: length => new Uint8Array(randomBytes(length)), uuid: () => 'uuid' },
      log: silentLog,
      bindAddress: '127.0.0.1',
      ...changes,
    })
    return new MediaBed(media, events)
  }

  do(command: MediaCommand): void {
    const before = this.events.length
    this.media.execute(command)
    assert.is(this.events.length, before, 'nothing is told from inside a command')
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

/** A trunk's plain offer. */
export const sdp = (port: number) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0 101\r\n` +
  'a=rtpmap:101 telephone-event/8000\r\n'
export const portIn = (text: string) => Number(/^m=audio (\d+) /m.exec(text)?.[1])
