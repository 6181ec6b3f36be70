import { clientAddresses } from '../access/client-address.ts'
import { isAllowedOrigin } from '../access/origins.ts'
import { Refusal } from '../answer/refusal.ts'
import type { RefusalSentence } from '../answer/refusal-sentences.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import type { UpgradeHandler, Upgrades } from '../request/upgrades.ts'

const crowdedRetrySeconds = 30

/**
 * SIP over WebSocket (RFC 7118, subprotocol `sip`), as browser phones speak it. They sign in within SIP, by their token.
 */
export function sipRoutes(app: Api, door: SwitchDoor, upgrades: Upgrades): void {
  app.get('/sip', {
    config: { access: 'open' },
    // No operation of the HTTP API: what is spoken here is SIP.
    schema: { hide: true },
    handler: async () => {
      throw new Refusal(426, 'Open a WebSocket here.', { headers: { upgrade: 'websocket', connection: 'upgrade' } })
    },
  })
  upgrades.at('/sip', sipUpgrade(door))
  // The server waits for every socket that it has handed out.
  app.addHook('preClose', async () => door.disconnectWebSockets?.())
}

function sipUpgrade(door: SwitchDoor): UpgradeHandler {
  const clientAddressOf = clientAddresses(door.settings.trustedProxies)
  return (request, _url, socket, head) => {
    if (!isAllowedOrigin(request, door.settings)) throw new Refusal(403, 'Pages of this origin may not open a phone.')
    if (door.acceptWebSocket === undefined) throw new Refusal(404, 'No phones are served here.')
    const upgraded = door.acceptWebSocket(request, socket, head, clientAddressOf(request))
    if (upgraded.ok) return
    const isBusy = upgraded.status === 429 || upgraded.status === 503
    const headers = isBusy ? { headers: { 'retry-after': String(crowdedRetrySeconds) } } : {}
    // A sentence of the signalling: no script reads what a handshake is answered with.
    throw new Refusal(upgraded.status, upgraded.detail as RefusalSentence, headers)
  }
}
