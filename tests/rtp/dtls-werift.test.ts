import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CipherContext, DtlsClient, DtlsServer } from 'werift'
import { DtlsAssociation, type DtlsOptions } from '../../rtp/dtls/association.ts'
import { fingerprintOf, selfSigned } from '../../rtp/dtls/certificate.ts'
import { sleep } from './bed/media-peer.ts'

const ours = selfSigned(Date.now(), randomBytes(8))
const theirs = await CipherContext.createSelfSignedCertificateWithKey({ hash: 4, signature: 3 })
const der = Buffer.from(theirs.certPem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

for (const role of ['server', 'client'] as const) {
  test(`a handshake with werift, we as the ${role}: the same keys`, async () => {
    let association: DtlsAssociation | undefined
    const transport = {
      type: 'udp',
      address: { address: '127.0.0.1', port: 1, family: 'IPv4' },
      closed: false,
      onData: (_data: Buffer) => {},
      send: async (data: Buffer) => association?.receive(data, data.length, performance.now()),
      close: async () => {},
    }
    const options: DtlsOptions = {
      role,
      certificate: ours,
      fingerprints: [{ algorithm: 'sha-256', value: fingerprintOf(der, 'sha-256') ?? '' }],
      profiles: ['AES_CM_128_HMAC_SHA1_80'],
      randomBytes,
      send: datagram => setImmediate(() => transport.onData(Buffer.from(datagram))),
    }
    const Peer = role === 'server' ? DtlsClient : DtlsServer
    const peer = new Peer({
      transport,
      cert: theirs.certPem,
      key: theirs.keyPem,
      signatureHash: theirs.signatureHash,
      srtpProfiles: [1, 7],
      certificateRequest: true,
      extendedMasterSecret: true,
    })
    association = new DtlsAssociation(options, performance.now())
    association.start(performance.now())
    if (peer instanceof DtlsClient) void peer.connect().catch(() => {})
    for (let i = 0; i < 200 && !(association.state === 'connected' && peer.connected); i++) await sleep(10)
    assert.is(association.state, 'connected', association.detail)
    assert.ok(peer.connected)
    const keys = peer.extractSessionKeys(16, 14)
    assert.equal(Buffer.from(association.keys?.local.key ?? []), keys.remoteKey)
    assert.equal(Buffer.from(association.keys?.remote.salt ?? []), keys.localSalt)
  })
}

// Its timers of flights that were answered run on for a while.
test.after(() => {
  setImmediate(() => process.exit())
})
test.run()
