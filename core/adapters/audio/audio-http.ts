/** The smallest HTTP that Play needs: a GET that is bounded, and that refuses addresses it must not reach. */
export interface AudioHttp {
  get(
    url: string,
    options: {
      readonly maxBytes: number
      /** For the whole exchange. */
      readonly timeoutMs: number
      /** Sent as If-None-Match. */
      readonly etag?: string
    },
  ): Promise<AudioHttpAnswer>
}

export type AudioHttpAnswer =
  | {
      readonly ok: true
      readonly status: number
      /** Empty when the server sent none. */
      readonly contentType: string
      readonly etag: string
      /** Where a redirect points, as sent; empty when it does not. */
      readonly location: string
      readonly body: Uint8Array
    }
  | {
      readonly ok: false
      readonly fault: 'timeout' | 'too-large' | 'refused-address' | 'transport' | 'aborted'
      readonly detail: string
    }
