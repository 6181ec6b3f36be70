import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectStatus } from '../../tests/rig/beds/account.ts'
import { requirePeers } from '../../tests/rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../../tests/rig/beds/switch-bed.ts'
import type { RecordingRow } from '../../tests/rig/beds/verb-bed.ts'
import { Sipp } from '../../tests/rig/peers/sipp.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { until } from '../../tests/rig/probes/wait.ts'
import { Departures, type DeparturesReport } from './departures.ts'
import { checkHums, type HumCheck } from './hums.ts'
import { calleeScenario, callerScenario, captureOf, type Speech, streamOf } from './scenarios.ts'
import { soundFiles } from './sound-files.ts'

/** What the dialled remotes speak. The callers speak PCMU. */
export type FarCodec = 'G722' | 'opus'

interface PeersPlan {
  readonly calls: number
  readonly seconds: number
  readonly codec: FarCodec
  readonly progress: (done: number) => void
}

export interface PeersResult extends DeparturesReport {
  readonly files: readonly HumCheck[]
  readonly missedTicks: number
}

const callsPerSecond = 10
/** Below the ports that the system gives to others. */
const mediaPorts = [12_000, 19_999] as const
const progressMs = 500
const endTimeoutMs = 30_000

/** `calls` calls at once through a switch as it is served: sipp calls, sipp is dialled, Dial records both sides. */
export async function peers(plan: PeersPlan): Promise<PeersResult> {
  requirePeers('sipp', 'tcpdump')
  const folder = mkdtempSync(join(tmpdir(), 'sauti-peers-'))
  try {
    const bed = await SwitchBed.open({
      balance: '1000000',
      prefixes: ['+1'],
      env: { SAUTI_MEDIA_PORTS: mediaPorts.join('-'), SAUTI_MEDIA_WORKERS: '1' },
    })
    const departures = new Departures(mediaPorts)
    try {
      await departures.listening()
      return await measured(bed, departures, folder, plan)
    } finally {
      departures.stop()
      await bed.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measured(
  bed: SwitchBed,
  departures: Departures,
  folder: string,
  { calls, seconds, codec, progress }: PeersPlan,
): Promise<PeersResult> {
  const limits = {
    max_concurrent_calls: 2 * calls,
    max_calls_per_second: 10 * callsPerSecond,
    max_inbound_calls: 2 * calls,
    max_dialled_legs: 2 * calls,
  }
  expectStatus(await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, limits), 200)
  const { number, port } = await bed.destination()
  const dial = `<Dial record="record-from-answer-dual"><Number>${number}</Number></Dial>`
  await bed.account.hosts('voice_inbound', dial)
  const lastMs = (seconds + calls / callsPerSecond) * 1000
  const both = { calls, trace: false, timeoutSeconds: Math.ceil((lastMs + endTimeoutMs) / 1000) }
  const [near, far] = await speeches(folder, codec, seconds)
  const callee = new Sipp({
    ...both,
    scenario: written(folder, 'callee', calleeScenario(far)),
    localPort: port,
    rtpPort: await freePort(),
  })
  const timer = timed(lastMs, progress)
  try {
    await callee.listening()
    const caller = await bed.caller({
      ...both,
      scenario: written(folder, 'caller', callerScenario(near)),
      from: outsideCaller,
      callsPerSecond,
      pauseMs: seconds * 1000,
    })
    for (const sipp of [caller, callee]) {
      const { code, errors } = await sipp.done
      if (code !== 0) throw new Error(`not all calls went as they should: sipp ended with ${code}\n${errors}`)
    }
  } finally {
    clearInterval(timer)
    callee.stop()
  }
  const report = await departures.end()
  const files = await recordingsOf(bed, calls)
  progress(1)
  return { ...report, missedTicks: await missedTicks(bed), files: files.map(checkHums) }
}

/** What the callers say, and the dialled. */
async function speeches(folder: string, codec: FarCodec, seconds: number): Promise<readonly [Speech, Speech]> {
  const files = soundFiles(folder)
  const near = streamOf(files.pcmu, 0, 'PCMU/8000')
  return [near, codec === 'opus' ? captureOf(await files.opus(seconds)) : streamOf(files.g722, 9, 'G722/8000')]
}

/** The scenario's path, as the test bed wants it. */
function written(folder: string, name: string, scenario: string): string {
  const path = join(folder, name)
  writeFileSync(`${path}.xml`, scenario)
  return path
}

function timed(lastsMs: number, progress: (done: number) => void): ReturnType<typeof setInterval> {
  const begun = performance.now()
  return setInterval(() => progress(Math.min(0.99, (performance.now() - begun) / lastsMs)), progressMs)
}

/** The files, once all are reported as finished. */
async function recordingsOf(bed: SwitchBed, calls: number): Promise<readonly string[]> {
  const isDone = async () => {
    const answer = await bed.account.api('GET', '/recordings/?limit=200')
    const rows = expectStatus(answer, 200).body as RecordingRow[]
    return rows.length === calls && rows.every(row => row.size_bytes !== null)
  }
  await until(`${calls} recordings to be finished`, isDone, endTimeoutMs)
  const folder = join(bed.on.dataFolder, 'recordings')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.wav'))
    .map(name => join(folder, name))
}

async function missedTicks(bed: SwitchBed): Promise<number> {
  const headers = { authorization: `Bearer ${bed.on.operatorKey}` }
  const metrics = await (await fetch(`${bed.on.baseUrl}/metrics`, { headers })).text()
  return Number(/^sauti_media_total\{what="missed_ticks"\} (\d+)/m.exec(metrics)?.[1] ?? Number.NaN)
}
