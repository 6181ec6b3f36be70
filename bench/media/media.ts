import { latePacketMs } from '../../core/adapters/benchmark/rtp-load.ts'
import { compiledProgram } from '../../scripts/compiled-program.ts'
import { progressLine, readCommand } from '../command.ts'
import { keptUp, medianOf, writeMedia } from './page.ts'
import { loadMedia, type MediaReport, type SubjectReport } from './rounds.ts'
import { type MediaKind, type MediaSource, mediaKinds } from './served-switch.ts'

const usage = `usage: npm run bench:media -- [--calls N] [--kind ${Object.keys(mediaKinds).join('|')}]
Sends RTP through calls at a switch as it is served, from the other processors, and reports what a packet costs and what
became of them. What relays are held against: node:dgram, a relay in C (needs cc), and rtpengine if Debian's is installed.
  --calls N     calls at once (100)
  --packet MS   how much PCMU a relayed packet has: 20, 40, 60 (20); only 20 is held against other relays
  --kind KIND   ${Object.entries(mediaKinds)
    .map(([name, about]) => `${name}: ${about}`)
    .join('\n                ')}
  --seconds S   of each round (5)
  --rounds R    the switch and what it is held against take turns; figures are medians (1)
  --media-source learned|signalled|both
                media_source of the trunks; each leg's remote has an address of its own then. both: two switches that take
                turns, the second with signalled
  --alone       without what it is held against
  --sources     this checkout's sources in place of the compiled program
  --json        the report for scripts
  --page        the standard table, some eight minutes: written into docs/performance.md
Exit codes: 0 measured; 1 the generator fell behind, or packets were lost; 2 the command is wrong.`

const sourcesOf: Readonly<Record<string, readonly MediaSource[]>> = {
  learned: ['learned'],
  signalled: ['signalled'],
  both: ['learned', 'signalled'],
}

function textOf(report: MediaReport): string {
  const lines = [`${report.kind}: ${mediaKinds[report.kind]}; ${report.calls} calls`, '']
  const each = (rounds: readonly SubjectReport[]) => rounds.map(it => it.microsPerPacket.toFixed(2)).join(', ')
  const sauti = medianOf(report.subjects.sauti ?? [], it => it.microsPerPacket)
  for (const [name, rounds] of Object.entries(report.subjects)) {
    const value = (pick: (it: SubjectReport) => number) => medianOf(rounds, pick)
    const own = value(it => it.microsPerPacket)
    const sum = (pick: (it: SubjectReport) => number) => rounds.reduce((all, it) => all + pick(it), 0)
    const versus = name === 'sauti' ? '' : `; Sauti's is ${(sauti / own).toFixed(2)} of it`
    lines.push(
      `${name}: ${own.toFixed(2)} µs a packet (${rounds.length > 1 ? `of ${each(rounds)}; ` : ''}${(100 * value(it => it.busy)).toFixed(0)} % of a processor)${versus}`,
      `  packets sent ${sum(it => it.sent)}, received ${sum(it => it.received)}, lost ${sum(it => it.lost)}, ` +
        `later than ${latePacketMs} ms ${sum(it => it.late)}; dropped by the kernel ${sum(it => it.dropped)}, at the generator ${sum(it => it.droppedAtGenerator)}`,
      ...(rounds.some(it => it.insideMs === undefined)
        ? []
        : [
            `  time inside p50 ${value(it => it.insideMs?.p50 ?? 0).toFixed(2)} ms, p99 ${value(it => it.insideMs?.p99 ?? 0).toFixed(2)} ms`,
          ]),
      `  lateness within a stream p99 ${value(it => it.lateP99Ms).toFixed(2)} ms; memory ${value(it => it.residentMb).toFixed(0)} MB`,
    )
    if (!name.startsWith('sauti')) continue
    const threads = Object.keys(rounds[0]?.threads ?? {})
      .map(thread => [thread, value(it => it.threads[thread] ?? 0)] as const)
      .filter(([, micros]) => micros >= 0.05)
      .sort((one, other) => other[1] - one[1])
    lines.push(`  of that ${threads.map(([thread, micros]) => `${thread} ${micros.toFixed(2)}`).join(', ')} µs`)
  }
  const { p50, p99, max } = report.eventLoopDelayMs
  lines.push(
    `a call: ${report.kilobytesPerCall.toFixed(0)} KB, ${Object.values(report.descriptorsOf)
      .map(count => count.toFixed(1))
      .join(' and ')} descriptors`,
    `event-loop delay p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms`,
    ...report.left.map(why => `left out: ${why}`),
  )
  if (!keptUp(report)) lines.push('', 'The generator fell behind: this run says nothing about the switch.')
  return lines.join('\n')
}

async function main(): Promise<number> {
  const command = readCommand(usage, {
    calls: { type: 'string' },
    packet: { type: 'string' },
    kind: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    'media-source': { type: 'string' },
    alone: { type: 'boolean' },
    sources: { type: 'boolean' },
    json: { type: 'boolean' },
    page: { type: 'boolean' },
  })
  if (typeof command === 'number') return command
  const { values, wrong } = command
  const { calls: most, seconds: long, rounds: often, packet } = values
  const [calls, seconds, rounds, packetMs] = [most ?? 100, long ?? 5, often ?? 1, packet ?? 20].map(Number)
  const kind = String(values.kind ?? 'relay')
  if (!(seconds! >= 1 && seconds! <= 3600)) return wrong('--seconds: 1 to 3600')
  if (!(Number.isInteger(rounds) && rounds! >= 1 && rounds! <= 100)) return wrong('--rounds: 1 to 100')
  if (!Object.hasOwn(mediaKinds, kind)) return wrong(`--kind: ${kind} is none of ${Object.keys(mediaKinds).join(', ')}`)
  const source = values['media-source']
  const sources = source === undefined ? undefined : sourcesOf[String(source)]
  if (source !== undefined && sources === undefined) return wrong('--media-source: learned, signalled or both')
  const mostCalls = sources === sourcesOf.both ? 2400 : 4000
  if (!(Number.isInteger(calls) && calls! >= 1 && calls! <= mostCalls)) return wrong(`--calls: 1 to ${mostCalls}`)
  if (![20, 40, 60].includes(packetMs!)) return wrong('--packet: 20, 40 or 60')
  if (packetMs !== 20 && kind !== 'relay') return wrong('--packet: packets of other lengths are relayed only')
  if (values.sources !== true)
    process.env.SAUTI_TEST_PROGRAM ??= await compiledProgram(new URL('../../', import.meta.url).pathname)
  const { show: progress, clear } = progressLine(1000)
  if (values.page === true) {
    const section = await writeMedia(progress)
    clear()
    process.stdout.write(`${section}\n`)
    return 0
  }
  const order = {
    kind: kind as MediaKind,
    calls: calls!,
    seconds: seconds!,
    rounds: rounds!,
    packetMs: packetMs!,
    ...(sources === undefined ? {} : { sources }),
  }
  const report = await loadMedia({ ...order, baselines: values.alone !== true && packetMs === 20, progress })
  clear()
  process.stdout.write(`${values.json === true ? JSON.stringify(report, null, 2) : textOf(report)}\n`)
  return keptUp(report) && (report.subjects.sauti ?? []).every(({ lost }) => lost === 0) ? 0 : 1
}

if (import.meta.main) process.exit(await main())
