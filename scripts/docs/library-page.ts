import { readFileSync } from 'node:fs'
import { type Declaration, exportsOf } from './declarations.ts'
import { code, generated, page, table } from './markdown.ts'

interface Door {
  /** As a program imports it, and its module. */
  readonly entry: string
  readonly file: string
  readonly about: string
  /** Programs in docs/library/. */
  readonly examples: readonly string[]
  /** Its exports in several tables: title, and the folders that they come from. Default: one table. */
  readonly tables?: Readonly<Record<string, readonly string[]>>
}

const doors: readonly Door[] = [
  {
    entry: 'sauti',
    file: 'core/embedding/index.ts',
    about:
      'The whole switch inside a program: SIP, media, documents, billing and store, without HTTP. Methods take and give what the operator API does, and throw a `SwitchError` with a code. Where calls matter, start Node with `--no-parallel-scavenge --max-semi-space-size=2 --heap-growing-percent=100`, and on two processors `--v8-pool-size=1`, as `sauti serve` sets it for itself: the collection of garbage takes less processor time from calls, and shorter turns ([performance](performance.md#what-is-in-the-way)).',
    examples: ['embed', 'recordings'],
  },
  {
    entry: 'sauti/documents',
    file: 'core/document-builder/index.ts',
    about:
      "Documents from typed methods, with every verb and attribute of [Verbs](verbs.md), and the check of a webhook's signature. It needs no switch: use it on the server that answers webhooks.",
    examples: ['documents'],
  },
  {
    entry: 'sauti/testing',
    file: 'core/testing/index.ts',
    about:
      'Calls in virtual time, for tests of documents: a caller who dials, presses keys and hangs up; an hour takes milliseconds. No socket, no thread, no file.',
    examples: ['testing'],
  },
  {
    entry: 'sauti/sip',
    file: 'sip/library.ts',
    about:
      'Messages, headers, URIs, digest authentication, SDP with offer and answer. It is pure: no socket, no timer, no clock, and it runs in browsers too. What a network sends never throws: a fault is `{ ok: false, reason, at }`. Messages and descriptions are values; what changes one gives another. For whole calls use `sauti`.',
    examples: ['sip'],
    tables: {
      Messages: ['message', 'stream', 'base'],
      Headers: ['header', 'grammar'],
      URIs: ['uri'],
      'Digest authentication': ['digest'],
      'SDP, offer and answer': ['sdp'],
    },
  },
  {
    entry: 'sauti/rtp',
    file: 'rtp/library.ts',
    about:
      'RTP and RTCP packets, SRTP, jitter buffer, codecs, DTMF, tones, WAV and Ogg Opus files. It opens no socket and reads no clock (SRTP needs `node:crypto`). Samples are 16-bit, levels in dBm0, times in milliseconds unless a name says another unit. Names that end in `Into` fill what they are given, and nothing is allocated for a packet.',
    examples: ['rtp'],
    tables: {
      'RTP packets': ['packet'],
      RTCP: ['rtcp'],
      SRTP: ['srtp'],
      'Jitter buffer': ['jitter'],
      'Codecs and samples': ['codec', 'mix', 'resample', 'silence', 'stats'],
      'DTMF and tones': ['dtmf', 'tone'],
      'WAV and Ogg files': ['wav', 'ogg'],
    },
  },
]

/** `docs/library.md`: what a program can import. */
export function libraryPage(): string {
  return page(
    '# The library',
    generated,
    '`npm install sauti` gives ES modules with types and source maps, for Node 22.19 and newer. Until 0.1.0 is published: `npm ci && npm pack` in a checkout, then `npm install /path/to/sauti-0.1.0.tgz` in your program. On Linux (x64, arm64) sockets are read in batches by system calls; elsewhere `node:dgram` does it. What is not listed here is internal and cannot be imported. `npx sauti serve` runs the switch with its HTTP API ([Operations](operations.md)). The native parts come as binaries: npm may be told to run no install scripts.',
    table(
      ['Entry', 'Use'],
      doors.map(({ entry, about }) => [
        `[${code(entry)}](#${entry.replaceAll(/[^\w]/g, '')})`,
        about.split('. ')[0] ?? '',
      ]),
    ),
    ...doors.flatMap(sectionOf),
  )
}

function sectionOf(door: Door): string[] {
  const { entry, file, about, examples } = door
  const exported = exportsOf(file)
  const silent = exported.filter(each => each.about === '').map(({ name }) => name)
  if (silent.length > 0) throw new Error(`${entry} exports without a word: ${silent.join(', ')}`)
  const sourceOf = (example: string) =>
    readFileSync(new URL(`../../docs/library/${example}.ts`, import.meta.url), 'utf8').trimEnd()
  const shown = examples.map(example => `\`\`\`ts\n${sourceOf(example)}\n\`\`\``)
  return [`## ${entry}`, about, ...shown, ...wordsOf(door, exported)]
}

const exportTable = (exported: readonly Declaration[]): string =>
  table(
    ['Export', 'Kind', 'What it is'],
    exported.map(({ name, kind, about }) => [code(name), kind, about]),
  )

/** All in one table, or in the tables of the door; and the members of each. */
function wordsOf({ tables }: Door, exported: readonly Declaration[]): string[] {
  const folderOf = ({ file }: Declaration) => file.split('/')[1] ?? ''
  const listed =
    tables === undefined
      ? [exportTable(exported)]
      : Object.entries(tables).flatMap(([title, folders]) => [
          `### ${title}`,
          exportTable(exported.filter(each => folders.includes(folderOf(each)))),
        ])
  const folders = Object.values(tables ?? {}).flat()
  const missing = tables === undefined ? [] : exported.filter(each => !folders.includes(folderOf(each)))
  if (missing.length > 0) throw new Error(`in no table: ${missing.map(({ name }) => name).join(', ')}`)
  return [...listed, ...exported.filter(({ members }) => members.length > 0).flatMap(membersOf)]
}

const membersOf = ({ name, members }: Declaration): string[] => [
  `### ${name}`,
  table(
    ['Member', 'What it does'],
    members.map(member => [code(member.name), member.about]),
  ),
]
