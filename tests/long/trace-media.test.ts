import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { sine } from '../rig/probes/tone.ts'

// What the trace of a real call shows of its RTP: by the API second by second, and as packets that tshark reads.
const traced = suite('trace of media')
const folder = mkdtempSync(join(tmpdir(), 'sauti-trace-'))
let bed: VerbBed
traced.before(async () => {
  bed = await VerbBed.open({ SAUTI_RECORDER_RTP_HEADERS: '1000' })
})
traced.after(async () => {
  await bed?.close()
  rmSync(folder, { recursive: true, force: true })
})

const talkSeconds = 4
const pressed = [5, 7, 11]

traced('RTP second by second with its level; headers and digits in the pcapng', async () => {
  const call = await bed.call('<Gather numDigits="3" timeout="10"><Pause length="8"/></Gather><Hangup/>')
  await call.answered()
  await call.rtp.stream(encodePcmu(sine(440, talkSeconds)))
  for (const digit of pressed) {
    await call.rtp.digit(digit)
    await call.rtp.stream(new Uint8Array(1600).fill(0xff))
  }
  await call.done()
  const { sid } = await bed.account.call()
  const { body: trace } = await bed.on.request(bed.account.key, 'GET', `/calls/${sid}/trace`)
  const [rtp] = trace.rtp
  assert.is(rtp.codec, 'PCMU')
  // A point a second, each of its own second, though a busy machine may have one of them late.
  assert.ok(rtp.ms.length >= talkSeconds, `${rtp.ms}`)
  const gaps = rtp.ms.slice(1).map((ms: number, at: number) => ms - rtp.ms[at])
  assert.ok(
    Math.min(...gaps) >= 500 && gaps.reduce((sum: number, gap: number) => sum + gap, 0) / gaps.length < 1500,
    `${gaps}`,
  )
  const received = rtp.packets_received.reduce((sum: number, packets: number) => sum + packets, 0)
  assert.ok(received > talkSeconds * 40, `${received} packets`)
  assert.ok(
    rtp.packets_received.filter((packets: number) => packets > 20 && packets < 100).length >= 3,
    `${rtp.packets_received}`,
  )
  const loud = rtp.level_dbov.filter((level: number | null) => level !== null && level > -60)
  const peak = Math.max(...sine(440, 1))
  const wanted = 20 * Math.log10(peak / Math.SQRT2 / 32_768)
  assert.ok(
    loud.some((level: number) => Math.abs(level - wanted) <= 1.5),
    `${rtp.level_dbov}, wanted ${wanted}`,
  )

  const own = (query: string) => bed.on.request(bed.account.key, 'GET', `/calls/${sid}/trace.pcapng${query}`)
  assert.equal([(await own('')).status, (await own('?audio=true')).status], [200, 403])
  const file = join(folder, 'call.pcapng')
  const answer = await fetch(`${bed.on.baseUrl}/calls/${sid}/trace.pcapng`, {
    headers: { authorization: `Bearer ${bed.on.operatorKey}` },
  })
  assert.is(answer.status, 200)
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  const names = [
    'rtp.p_type',
    'rtp.seq',
    'rtp.ssrc',
    'frame.len',
    'frame.cap_len',
    'rtpevent.event_id',
    'rtpevent.end_of_event',
  ]
  const rows = execFileSync(
    'tshark',
    ['-r', file, '-Y', 'rtp', '-T', 'fields', ...names.flatMap(name => ['-e', name])],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t'))
  const ofCaller = rows.filter(([type]) => type === '0')
  assert.ok(ofCaller.length >= received * 0.8, `${ofCaller.length} of ${received}`)
  // Headers alone: the audio is not there.
  for (const [, , , length, captured] of ofCaller) assert.equal([length, captured], ['200', '40'])
  const digits = rows.filter(([type, , , , , , end]) => type === '101' && (end === '1' || end === 'True'))
  assert.equal([...new Set(digits.map(([, , , , , event]) => Number(event)))], pressed)
  const sip = execFileSync('tshark', ['-r', file, '-Y', 'sip.Method == "INVITE"'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  assert.match(sip.toString(), /INVITE sip:/)
})

traced.run()
