import type { Settings } from '../../core/index.ts'
import { aligned } from './aligned.ts'
import type { Command } from './command.ts'
import type { Finding } from './doctor-finding.ts'
import { certificate, externalAddress, listeners, mediaPorts, trunkNames } from './doctor-network.ts'
import { clock, disk, fileDescriptors, realTime, runningOn, udpBuffers } from './doctor-system.ts'

/** `sauti doctor`. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check whether this machine is ready to run the switch',
  words: [],
  about: `Looks at file descriptors, UDP buffers, media ports, the clock, the certificate and its days left, the names of the trunks,
the HTTP and SIP listeners, the external address, real-time priority and the disk. Beside a running switch it looks at that process;
without one at what a switch started here would have: run it as the switch's user, with its settings. Each line is ok, a
warning or a fault, with its remedy. It changes nothing. Only a call from outside shows what a firewall in between does.`,
  flags: [],
  examples: ['sauti doctor --config /etc/sauti/sauti.yaml', 'sauti doctor --json --data /var/lib/sauti'],
  settings: ['data', 'sip', 'media-ports', 'external-address'],
  exits: { 0: 'no fault; warnings are reported', 1: 'at least one fault', 2: 'a flag or setting is wrong' },
  run: async ({ given, settings, print }) => {
    const pid = runningOn(settings.dataFolder)
    const findings = await examine(settings, pid)
    const isWell = findings.every(({ state }) => state !== 'fault')
    if (given.flags.has('json')) print(JSON.stringify({ ok: isWell, running: pid ?? null, findings }, null, 2))
    else print(shown(findings, pid, settings.dataFolder))
    return isWell ? 0 : 1
  },
}

export const examine = async (settings: Settings, pid: number | undefined): Promise<readonly Finding[]> => [
  fileDescriptors(pid),
  realTime(pid),
  udpBuffers(),
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
