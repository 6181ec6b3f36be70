import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ChainResult, chains, measureChain } from '../../bench/codecs/chain.ts'

/** Segmental SNR in dB that speech must keep at least, and the delay in ms that a chain may have, from mouth to ear. */
const bounds: Readonly<Record<string, readonly [leastDb: number, mostMs: number]>> = {
  // The two laws into each other: byte by byte, without waiting.
  'PCMU PCMA': [33, 0],
  'PCMA PCMU': [33, 0],
  'PCMU G722': [28, 45],
  'PCMA G722': [28, 45],
  'G722 PCMU': [29, 45],
  'G722 PCMA': [29, 45],
  'PCMU opus': [11, 50],
  'PCMA opus': [11, 50],
  'opus PCMU': [10, 50],
  'opus PCMA': [10, 50],
  'G722 opus': [10, 50],
  'opus G722': [10, 50],
  'PCMU opus PCMU': [10, 95],
  'PCMA opus PCMA': [10, 95],
  'PCMU G722 PCMU': [27, 95],
  'opus PCMU opus': [7, 100],
}
/** Most that the switch may lose against the bare codecs. */
const mostLostDb = 1.5

const judge = ({ codecs, switched, bare }: ChainResult) => {
  const name = codecs.join(' ')
  const [leastDb, mostMs] = bounds[name] ?? [Number.NaN, Number.NaN]
  const snr = switched.segmentalSnrDb
  assert.ok(snr >= leastDb, `${name}: ${snr.toFixed(1)} dB`)
  assert.ok(
    snr >= bare.segmentalSnrDb - mostLostDb,
    `${name}: ${snr.toFixed(1)} of ${bare.segmentalSnrDb.toFixed(1)} dB`,
  )
  assert.ok(switched.delayMs <= mostMs, `${name}: ${switched.delayMs.toFixed(1)} ms`)
}

test('every chain has its bounds', () => {
  assert.equal(chains.map(codecs => codecs.join(' ')).sort(), Object.keys(bounds).sort())
})

for (const codecs of chains) {
  test(`${codecs.join(' to ')}: speech keeps its segmental SNR, and does not wait`, async () => {
    judge(await measureChain(codecs, 2.5))
  })
}

test.run()
