import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hepPacket } from '../../core/trace/hep.ts'
import { addressBytes, datagram } from '../../core/trace/ip-packet.ts'
import { pcapngOf } from '../../core/trace/pcapng.ts'
import type { SipRecord } from '../../core/trace/sip-record.ts'
import { requirePeers } from '../rig/beds/debian.ts'

// tshark reads what is exported; it is another program's view of the same bytes.
requirePeers('tshark')
const folder = mkdtempSync(join(tmpdir(), 'sauti-trace-'))
const message = new TextEncoder().encode(
  'INVITE sip:+254700000001@192.0.2.1 SIP/2.0\r\nVia: SIP/2.0/UDP 198.51.100.9:5060;branch=z9hG4bK1\r\nMax-Forwards: 70\r\nFrom: <sip:a@h>;tag=1\r\nTo: <sip:b@h>\r\nCall-ID: call-1@h\r\nCSeq: 1 INVITE\r\nAuthorization: Digest ********\r\nContent-Length: 0\r\n\r\n',
)
const at = 1_800_000_000_123.456
const over4: SipRecord = {
  transport: 'udp',
  address: '198.51.100.9',
  port: 5062,
  localHost: '192.0.2.1',
  localPort: 5060,
  isSent: false,
  message,
}
const over6: SipRecord = { ...over4, address: '2001:db8::9', localHost: '2001:db8::1', isSent: true }
const sent: SipRecord = { ...over4, isSent: true }

const fields = (file: string, names: readonly string[], more: readonly string[] = []): readonly string[][] =>
  execFileSync('tshark', ['-r', file, ...more, '-T', 'fields', ...names.flatMap(name => ['-e', name])], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t'))

test('tshark reads the pcapng: addresses, ports, times and SIP of both directions and families', () => {
  const file = join(folder, 'call.pcapng')
  writeFileSync(file, pcapngOf([over4, sent, over6].map(sip => ({ ...sip, unixMs: at }))))
  const names = ['frame.time_epoch', 'ip.src', 'ipv6.src', 'udp.srcport', 'udp.dstport', 'sip.Method', 'sip.Call-ID']
  const rows = fields(file, names, ['-o', 'ip.check_checksum:TRUE'])
  assert.is(rows.length, 3)
  const [received = [], answer = [], six = []] = rows
  assert.ok(Math.abs(Number(received[0]) - at / 1000) < 0.000_01 || /2027-01-15/.test(received[0] ?? ''), received[0])
  assert.equal(received.slice(1), ['198.51.100.9', '', '5062', '5060', 'INVITE', 'call-1@h'])
  assert.equal(answer.slice(1), ['192.0.2.1', '', '5060', '5062', 'INVITE', 'call-1@h'])
  assert.equal(six.slice(1), ['', '2001:db8::1', '5060', '5062', 'INVITE', 'call-1@h'])
  const wrong = fields(file, ['ip.checksum.status'], ['-o', 'ip.check_checksum:TRUE'])
  assert.equal(wrong.slice(0, 2), [['1'], ['1']])
})

test('HEP3 packets arrive by UDP with all that Homer needs', async () => {
  const homer = createSocket('udp4')
  await new Promise<void>(resolve => homer.bind(0, '127.0.0.1', resolve))
  const arrived = new Promise<Buffer>(resolve => homer.once('message', resolve))
  const sender = createSocket('udp4')
  sender.send(hepPacket(over4, at), homer.address().port, '127.0.0.1')
  const packet = await arrived
  homer.close()
  sender.close()
  assert.is(packet.toString('latin1', 0, 4), 'HEP3')
  assert.is(packet.readUInt16BE(4), packet.length)
  const chunks = new Map<number, Buffer>()
  for (let place = 6; place < packet.length; place += packet.readUInt16BE(place + 4)) {
    assert.is(packet.readUInt16BE(place), 0)
    chunks.set(packet.readUInt16BE(place + 2), packet.subarray(place + 6, place + packet.readUInt16BE(place + 4)))
  }
  const hex = (type: number) => chunks.get(type)?.toString('hex')
  assert.equal([hex(1), hex(2), hex(3), hex(4)], ['02', '11', 'c6336409', 'c0000201'])
  assert.equal([hex(7), hex(8), hex(11)], ['13c6', '13c4', '01'])
  assert.equal([chunks.get(9)?.readUInt32BE(), chunks.get(10)?.readUInt32BE()], [1_800_000_000, 123_456])
  // What Homer takes out of it is a SIP message: tshark, which knows no HEP, says so.
  const file = join(folder, 'hep.pcapng')
  writeFileSync(file, pcapngOf([{ ...over4, message: chunks.get(15) ?? new Uint8Array(), unixMs: at }]))
  assert.equal(fields(file, ['sip.Method', 'sip.Call-ID']), [['INVITE', 'call-1@h']])
})

test('an external address of the other family, and the longest message, leave packets whole', () => {
  const mixed = [over4, over6].map(
    (sip): SipRecord => ({ ...sip, localHost: sip === over4 ? '2001:db8::1' : '192.0.2.1' }),
  )
  const long = new Uint8Array(65_535).fill(0x61)
  long.set(message)
  const all = [...mixed, { ...over4, transport: 'tcp', message: long } as const]
  const file = join(folder, 'mixed.pcapng')
  writeFileSync(file, pcapngOf(all.map(sip => ({ ...sip, unixMs: at }))))
  assert.equal(fields(file, ['_ws.malformed', 'ip.src', 'ipv6.src', 'ipv6.dst', 'udp.dstport']), [
    ['', '', '::ffff:198.51.100.9', '2001:db8::1', '5060'],
    ['', '', '::ffff:192.0.2.1', '2001:db8::9', '5062'],
    ['', '198.51.100.9', '', '', '5060'],
  ])
  const lengths = all.map(sip => {
    const packet = Buffer.from(hepPacket(sip, at))
    assert.is(packet.readUInt16BE(4), packet.length)
    // Type and length of the third and the fourth chunk.
    return [26, 26 + packet.readUInt16BE(24)].map(place => [
      packet.readUInt16BE(place - 4),
      packet.readUInt16BE(place - 2),
    ])
  })
  const of6 = [
    [5, 22],
    [6, 22],
  ]
  assert.equal(lengths, [
    of6,
    of6,
    [
      [3, 10],
      [4, 10],
    ],
  ])
})

test('a datagram holds its payload after its heads', () => {
  const ends = { from: addressBytes('192.0.2.1'), to: addressBytes('192.0.2.2'), fromPort: 1, toPort: 2 }
  assert.is(datagram(ends, new Uint8Array(5)).length, 33)
  assert.equal([...addressBytes('2001:db8::1')].slice(0, 4), [0x20, 0x01, 0x0d, 0xb8])
})

test.after(() => rmSync(folder, { recursive: true, force: true }))
test.run()
