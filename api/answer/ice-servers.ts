import { createHmac } from 'node:crypto'
import type { Settings } from '../../core/index.ts'

interface IceServerEntry {
  readonly urls: readonly string[]
  readonly username?: string
  readonly credential?: string
}

/**
 * What a browser's RTCPeerConnection takes. TURN credentials are good until `expiresUnix`, by the scheme that coturn
 * calls use-auth-secret: the user is `expiry:name`, the password base64 of HMAC-SHA1 over it.
 */
export function iceServers(ice: Settings['ice'], name: string, expiresUnix: number): IceServerEntry[] {
  const servers: IceServerEntry[] = ice.stun.length === 0 ? [] : [{ urls: ice.stun }]
  if (ice.turn.length > 0 && ice.turnSecret !== undefined) {
    const username = `${Math.ceil(expiresUnix / 1000)}:${name}`
    const credential = createHmac('sha1', ice.turnSecret).update(username).digest('base64')
    servers.push({ urls: ice.turn, username, credential })
  }
  return servers
}
