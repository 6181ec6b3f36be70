import { readFileSync } from 'node:fs'
import { type Declaration, exportsOf } from './declarations.ts'
import { code, generated, page, table } from './markdown.ts'

interface Door {
  /** As a program imports it, and its module. */
  readonly entry: string
  readonly file: string
  readonly about: string
  /** Program in docs/library/. */
  readonly example: string
  /** Each export with its members, and one without a comment is a fault; or only the names by module. */
  readonly isWhole: boolean
}

const doors: readonly Door[] = [
  {
    entry: 'sauti',
    file: 'core/embedding/index.ts',
    about:
      'The whole switch inside a program: SIP, media, documents, billing and store, without HTTP. Methods take and give what the operator API does, and throw a `SwitchError` with a code.',
    example: 'embed',
    isWhole: true,
  },
  {
    entry: 'sauti/documents',
    file: 'core/document-builder/index.ts',
    about:
      "Documents from typed methods, with every verb and attribute of [Verbs](verbs.md), and the check of a webhook's signature. It needs no switch: use it on the server that answers webhooks.",
    example: 'documents',
    isWhole: true,
  },
  {
    entry: 'sauti/testing',
    file: 'core/testing/index.ts',
    about:
      'Calls in virtual time, for tests of documents: a caller who dials, presses keys and hangs up; an hour takes milliseconds. No socket, no thread, no file.',
    example: 'testing',
    isWhole: true,
  },
  {
    entry: 'sauti/sip',
    file: 'sip/index.ts',
    about:
      'The protocol library: messages, transactions, dialogs, SDP. Pure: no socket, no timer; the time comes in as milliseconds. Faults of what a network sends are values, never exceptions.',
    example: 'sip',
    isWhole: false,
  },
  {
    entry: 'sauti/rtp',
    file: 'rtp/index.ts',
    about:
      'The media library: packets, codecs, jitter buffer, tones, DTMF, WAV. Pure as well; samples are 16-bit, levels in dBm0, times in milliseconds unless a name says another unit.',
    example: 'rtp',
    isWhole: false,
  },
]

/** `docs/library.md`: what a program can import. */
export function libraryPage(): string {
  return page(
    '# The library',
    generated,
    '`npm install sauti` gives ES modules with types and source maps, for Node 22.19 and newer. On Linux (x64, arm64) sockets are read in batches by system calls; elsewhere `node:dgram` does it. What is not listed here is internal and cannot be imported. `npx sauti serve` runs the switch with its HTTP API ([Operations](operations.md)). The native parts come as binaries: npm may be told to run no install scripts.',
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

function sectionOf({ entry, file, about, example, isWhole }: Door): string[] {
  const exported = exportsOf(file)
  const silent = exported.filter(each => each.about === '').map(({ name }) => name)
  if (isWhole && silent.length > 0) throw new Error(`${entry} exports without a word: ${silent.join(', ')}`)
  const source = readFileSync(new URL(`../../docs/library/${example}.ts`, import.meta.url), 'utf8').trimEnd()
  return [`## ${entry}`, about, `\`\`\`ts\n${source}\n\`\`\``, ...(isWhole ? wordsOf(exported) : [namesOf(exported)])]
}

const wordsOf = (exported: readonly Declaration[]): string[] => [
  table(
    ['Export', 'Kind', 'What it is'],
    exported.map(({ name, kind, about }) => [code(name), kind, about]),
  ),
  ...exported.filter(({ members }) => members.length > 0).flatMap(membersOf),
]

/** What each is stands in its declaration, which an editor shows. */
const namesOf = (exported: readonly Declaration[]): string =>
  table(
    ['Module', 'Exports'],
    [...Map.groupBy(exported, ({ file }) => file)]
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([file, each]) => [code(file), each.map(({ name }) => code(name)).join(', ')]),
  )

const membersOf = ({ name, members }: Declaration): string[] => [
  `### ${name}`,
  table(
    ['Member', 'What it does'],
    members.map(member => [code(member.name), member.about]),
  ),
]
