import { oggChecksum, oggContinued, oggFirst, oggLast } from '../../../rtp/ogg/page.ts'

export interface OggPageOptions {
  readonly flags?: number
  readonly position?: number
  readonly serial?: number
  readonly sequence: number
}

/** One page with the given lacing values and content. */
export const oggPage = (lacing: readonly number[], content: Uint8Array, options: OggPageOptions): Uint8Array => {
  const page = new Uint8Array(27 + lacing.length + content.length)
  const view = new DataView(page.buffer)
  page.set(Buffer.from('OggS'))
  page[5] = options.flags ?? 0
  const position = options.position ?? 0
  view.setUint32(6, position >>> 0, true)
  view.setUint32(10, Math.floor(position / 0x1_0000_0000), true)
  view.setUint32(14, options.serial ?? 0x5a17, true)
  view.setUint32(18, options.sequence, true)
  page[26] = lacing.length
  page.set(lacing, 27)
  page.set(content, 27 + lacing.length)
  view.setUint32(22, oggChecksum(page, 0, page.length), true)
  return page
}

const lacingOf = (length: number): number[] => [...new Array<number>(Math.floor(length / 255)).fill(255), length % 255]

export const opusHead = (
  changes: { channels?: number; preSkip?: number; gain?: number; family?: number; version?: number } = {},
) => {
  const head = new Uint8Array(19)
  const view = new DataView(head.buffer)
  head.set(Buffer.from('OpusHead'))
  head[8] = changes.version ?? 1
  head[9] = changes.channels ?? 1
  view.setUint16(10, changes.preSkip ?? 312, true)
  view.setUint32(12, 48_000, true)
  view.setInt16(16, changes.gain ?? 0, true)
  head[18] = changes.family ?? 0
  return head
}
export const opusTags = Uint8Array.from(Buffer.from('OpusTags\0\0\0\0\0\0\0\0'))

/** A file of these packets of 20 ms; `segmentsPerPage` cuts packets across pages where they are long. */
export const oggFile = (
  packets: readonly Uint8Array[],
  { head = opusHead(), units = packets.length * 960 + 312, segmentsPerPage = 50 } = {},
): Uint8Array => {
  const pages = [
    oggPage(lacingOf(head.length), head, { flags: oggFirst, sequence: 0 }),
    oggPage(lacingOf(opusTags.length), opusTags, { sequence: 1 }),
  ]
  const lacing = packets.flatMap(packet => lacingOf(packet.length))
  const bytes = Buffer.concat(packets)
  let from = 0
  let sequence = 2
  for (let at = 0; at < lacing.length; at += segmentsPerPage, sequence++) {
    const own = lacing.slice(at, at + segmentsPerPage)
    const length = own.reduce((sum, lace) => sum + lace, 0)
    const isLast = at + segmentsPerPage >= lacing.length
    const flags = (at > 0 && lacing[at - 1] === 255 ? oggContinued : 0) | (isLast ? oggLast : 0)
    const whole = lacing.slice(0, at + segmentsPerPage).filter(lace => lace < 255).length
    const position = isLast ? units : whole * 960
    pages.push(oggPage(own, bytes.subarray(from, from + length), { flags, sequence, position }))
    from += length
  }
  return new Uint8Array(Buffer.concat(pages))
}
