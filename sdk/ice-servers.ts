/** One STUN or TURN entry, as `POST /phone-tokens/mint` answers it and `RTCPeerConnection` takes it. */
export interface IceServer {
  readonly urls: string | readonly string[]
  readonly username?: string
  readonly credential?: string
}

/** Used where neither the token's answer nor the options name any: public STUN servers. */
export const DEFAULT_ICE_SERVERS: readonly IceServer[] = Object.freeze([
  Object.freeze({ urls: Object.freeze(['stun:stun.l.google.com:19302', 'stun:stun.cloudflare.com:3478']) }),
])

export const toRtcIceServers = (servers: readonly IceServer[]): RTCIceServer[] =>
  servers.map(({ urls, ...rest }) => ({ ...rest, urls: typeof urls === 'string' ? urls : [...urls] }))
