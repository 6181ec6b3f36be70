import type { Agreement } from '../../../rtp/contract/agreement.ts'

/** G.711 both ways with a remote at `port` of this host, and telephone-events; but for `changes`. */
export const agreed = (port: number, changes: Partial<Agreement> = {}): Agreement => ({
  remote: { address: '127.0.0.1', port, rtcpPort: port + 1 },
  sources: { sip: '127.0.0.1', hosts: [] },
  send: true,
  receive: true,
  codec: 'PCMU',
  payloadType: 0,
  accept: [{ payloadType: 0, codec: 'PCMU' }],
  sendEvents: 101,
  acceptEvents: 101,
  ptimeMs: 20,
  ptimeAsked: false,
  ...changes,
})
