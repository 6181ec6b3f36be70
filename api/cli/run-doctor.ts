import { opusOfSystem, type Settings } from '../../core/index.ts'
import { aligned } from './aligned.ts'
import type { CommandInput } from './command.ts'
import type { Finding } from './doctor-finding.ts'
import { opusEncoder } from './doctor-media.ts'
import { certificate, externalAddress, listeners, mediaPorts, trunkNames } from './doctor-network.ts'
import { clock, disk, fileDescriptors, realTime, runningOn, udpBuffers } from './doctor-system.ts'

/** The work of `sauti doctor`. Returns the exit code. */
export async function runDoctor({ given, settings, print }: CommandInput): Promise<number> {
  const pid = runningOn(settings.dataFolder)
  const findings = await examine(settings, pid)
  const isWell = findings.every(({ state }) => state !== 'fault')
  if (given.flags.has('json')) print(JSON.stringify({ ok: isWell, running: pid ?? null, findings }, null, 2))
  else print(shown(findings, pid, settings.dataFolder))
  return isWell ? 0 : 1
}

export const examine = async (settings: Settings, pid: number | undefined): Promise<readonly Finding[]> => [
  fileDescriptors(pid),
  realTime(pid),
  udpBuffers(),
  opusEncoder(opusOfSystem()),
  await clock(),
  await disk(settings.dataFolder),
  certificate(settings, Date.now()),
  mediaPorts(settings, pid),
  externalAddress(settings),
  ...(await listeners(settings, pid)),
  ...(await trunkNames(settings)),
]

function shown(findings: readonly Finding[], pid: number | undefined, folder: string): string {
  const head = pid === undefined ? `No switch runs on ${folder}.` : `A switch runs on ${folder} (process ${pid}).`
  const rows = findings.flatMap(({ state, name, says, mend }): (readonly [string, string])[] => [
    [state, `${name}: ${says}`],
    ...(mend === undefined ? [] : [['', `mend: ${mend}`] as const]),
  ])
  return `${head}\n${aligned(rows)}`
}
