import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectStatus } from '../../tests/rig/account.ts'
import { requirePeers } from '../../tests/rig/debian.ts'
import { freePort } from '../../tests/rig/ports.ts'
import { outsideCaller, SwitchBed } from '../../tests/rig/switch-bed.ts'
import { until } from '../../tests/rig/wait.ts'
import { Departures, type DeparturesReport } from './departures.ts'
import { checkHums, type HumCheck } from './hums.ts'
import { calleeScenario, callerScenario, captureOf, type Speech, streamOf } from './scenarios.ts'
import { soundFiles } from './sound-files.ts'

/** What the dialled far ends speak. The callers speak PCMU. */
export type FarCodec = 'G722' | 'opus'

export interface PeersPlan {
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
/** sipp binds ports for media at the address that it is told: a side each. */
const callerMedia = '127.0.2.2'
const calleeMedia = '127.0.2.1'
const mediaPorts = [40_000, 40_999] as const
const progressMs = 500
const writtenTimeoutMs = 10_000

/** `calls` calls at once through a switch as it is served: sipp calls, sipp is dialled, Dial records both sides. */
export async function peers({ calls, seconds, codec, progress }: PeersPlan): Promise<PeersResult> {
  requirePeers('sipp', 'tcpdump')
  const folder = mkdtempSync(join(tmpdir(), 'sauti-peers-'))
  const files = soundFiles(folder)
  const far = codec === 'opus' ? captureOf(await files.opus(seconds)) : streamOf(files.g722, 9, 'G722/8000')
  const bed = await SwitchBed.open({
    balance: '1000000',
    prefixes: ['+1'],
    env: { SAUTI_MEDIA_PORTS: mediaPorts.join('-') },
  })
  const running: ReturnType<typeof sipp>[] = []
  try {
    const limits = { max_concurrent_calls: 2 * calls, max_calls_per_second: 10 * callsPerSecond }
    expectStatus(await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, limits), 200)
    const { number, port } = await bed.destination()
    await bed.account.hosts('voice_inbound', `<Dial record="record-from-answer-dual"><Number>${number}</Number></Dial>`)
    const departures = await Departures.of(mediaPorts)
    const many = ['-m', String(calls)]
    running.push(sipp(folder, 'callee', calleeScenario(far), ['-p', String(port), '-mi', calleeMedia, ...many]))
    const rate = ['-r', String(callsPerSecond), '-d', String(seconds * 1000), '-s', bed.account.number]
    const caller = sipp(folder, 'caller', callerScenario(nearSpeech(files.pcmu)), [
      `127.0.0.1:${bed.on.sipPort}`,
      ...['-p', String(await freePort()), '-mi', callerMedia, '-key', 'caller', outsideCaller, ...rate, ...many],
    ])
    running.push(caller)
    await ended(caller, (seconds + calls / callsPerSecond) * 1000, progress)
    const recordings = join(bed.on.dataFolder, 'recordings')
    const written = () =>
      readdirSync(recordings, { recursive: true, encoding: 'utf8' }).filter(name => /\.wav$/.test(name))
    await until('all recordings to be written', () => written().length === calls, writtenTimeoutMs)
    return {
      ...(await departures.end()),
      missedTicks: missedTicksIn(await metricsOf(bed)),
      files: written().map(name => checkHums(join(recordings, name))),
    }
  } finally {
    for (const child of running) child.kill('SIGKILL')
    await bed.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const nearSpeech = (file: string): Speech => streamOf(file, 0, 'PCMU/8000')

function sipp(folder: string, name: string, scenario: string, args: readonly string[]) {
  const file = join(folder, `${name}.xml`)
  writeFileSync(file, scenario)
  const usual = ['-sf', file, '-i', '127.0.0.1', '-t', 'u1', '-nostdin', '-skip_rlimit']
  return spawn('sipp', [...args, ...usual], { cwd: folder, stdio: 'ignore' })
}

async function ended(
  caller: ReturnType<typeof sipp>,
  lastsMs: number,
  progress: (done: number) => void,
): Promise<void> {
  const begun = performance.now()
  const timer = setInterval(() => progress(Math.min(0.99, (performance.now() - begun) / lastsMs)), progressMs)
  const [code] = (await once(caller, 'close')) as [number | null]
  clearInterval(timer)
  progress(1)
  if (code !== 0) throw new Error(`not all calls went as they should: sipp ended with ${code}`)
}

async function metricsOf(bed: SwitchBed): Promise<string> {
  const headers = { authorization: `Bearer ${bed.on.operatorKey}` }
  return (await fetch(`${bed.on.baseUrl}/metrics`, { headers })).text()
}

const missedTicksIn = (metrics: string): number =>
  Number(/^sauti_media_total\{what="missed_ticks"\} (\d+)/m.exec(metrics)?.[1] ?? Number.NaN)
