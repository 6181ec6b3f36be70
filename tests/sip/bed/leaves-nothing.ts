import * as assert from 'uvu/assert'
import type { Station, VirtualNetwork } from './virtual-network.ts'

/** Once everything has run out, no station keeps anything of what was. */
export function leavesNothing(net: VirtualNetwork, ...stations: readonly Station[]) {
  net.run(300_000)
  for (const { endpoint } of stations) {
    assert.is(endpoint.layer.clients.size, 0, 'client transactions')
    assert.is(endpoint.layer.servers.size, 0, 'server transactions')
    assert.is(endpoint.callCount, 0, 'calls')
    assert.is(endpoint.tagCount, 0, 'dialogs')
    assert.is(endpoint.timers.running.length, 0, 'timers')
  }
}
