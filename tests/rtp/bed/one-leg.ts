import type { Agreement } from '../../../rtp/contract/agreement.ts'
import { agreed } from './agreement.ts'
import { VirtualMedia } from './virtual-media.ts'
import { VirtualPeer } from './virtual-peer.ts'

export const prompt = (length: number, seed = 3) => Uint8Array.from({ length }, (_, i) => (i * seed + (i >> 5)) % 200)

/** One remote alone, what to agree on with it, and how to play it something. */
export const one = (changes: Partial<Agreement> = {}, talk = false) => {
  const media = new VirtualMedia()
  const peer = new VirtualPeer(media, 'a', 4000).open()
  const agree = () => media.do({ type: 'agree', session: 'a', agreement: agreed(4000, changes), talk })
  const play = (name: string, bytes: Uint8Array, loop = 1) => {
    media.prompts.set(name, { codec: 'PCMU', bytes })
    media.do({ type: 'play', session: 'a', play: name, source: { kind: 'file', path: name }, loop })
  }
  return { media, peer, agree, play }
}
