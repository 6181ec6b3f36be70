import type { OpusWishes } from '../../../rtp/index.ts'

/** What a remote's `a=fmtp` says about the Opus that it wants to receive (RFC 7587 §6.1); what it leaves out has defaults. */
export const opusWishesOf = (fmtp: string | undefined): OpusWishes => {
  const values = new Map(
    (fmtp ?? '').split(';').map(parameter => {
      const [name = '', value = ''] = parameter.split('=')
      return [name.trim().toLowerCase(), value.trim()]
    }),
  )
  const bitrate = Number(values.get('maxaveragebitrate') ?? Number.NaN)
  return {
    fec: values.get('useinbandfec') === '1',
    dtx: values.get('usedtx') === '1',
    maxBitrate: Number.isInteger(bitrate) && bitrate > 0 ? bitrate : undefined,
  }
}
