import { readFileSync, writeFileSync } from 'node:fs'
import { type Case, cases, nameOf } from '../tests/dtls/cases.ts'
import { libraries, missingFor } from '../tests/dtls/programs.ts'
import { type Result, runCases, versionOf } from '../tests/dtls/run-cases.ts'
import { scriptedCases } from '../tests/dtls/scripted-cases.ts'
import { ScriptedPair } from '../tests/dtls/scripted-peer.ts'

const usage = `usage: npm run dtls [-- [--write] [filter]]
          holds our DTLS against programs of OpenSSL, GnuTLS, mbedTLS and NSS, and against a peer that breaks the protocol
  --write  writes the tables of docs/dtls.md
  filter   only cases whose name contains it`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const page = new URL('../docs/dtls.md', import.meta.url)
const filter = args.find(arg => !arg.startsWith('--')) ?? ''

const here = libraries.filter(library => {
  const missing = missingFor(library)
  if (missing.length > 0) process.stdout.write(`! ${library} left out: apt-get install ${missing.join(' ')}\n`)
  return missing.length === 0
})
const results = await runCases(
  cases.filter(it => here.includes(it.meeting.library) && nameOf(it).includes(filter)),
  ({ case: it, fault, outcome }) =>
    process.stdout.write(`${fault === undefined ? '✓' : '✗'} ${nameOf(it)}: ${fault ?? outcomeOf(it, outcome)}\n`),
)
const scripted = scriptedCases
  .filter(({ sent }) => sent.includes(filter))
  .map(({ group, sent, script, options, expected }) => {
    const { ours } = new ScriptedPair(script, options).run()
    const holds = expected === 'connected' ? ours.state === 'connected' : ours.keys === undefined
    const cameOfIt = ours.state === 'connected' ? 'connected' : `refused: ${ours.detail}`
    process.stdout.write(`${holds ? '✓' : '✗'} ${script.role}'s ${group}: ${sent}: ${cameOfIt}\n`)
    return { group, sent, role: script.role, cameOfIt: holds ? cameOfIt : `**${cameOfIt}**`, holds }
  })

const wrong = results.filter(({ fault }) => fault !== undefined).length + scripted.filter(({ holds }) => !holds).length
process.stdout.write(
  `\n${results.length + scripted.length - wrong} of ${results.length + scripted.length} as expected\n`,
)
if (args.includes('--write')) {
  if (filter !== '' || here.length < libraries.length)
    throw new Error('only a run of all cases with all libraries is written')
  await writeTables()
}
process.exit(wrong === 0 ? 0 : 1)

function outcomeOf({ expected }: Case, { state, sameKeys }: Result['outcome']): string {
  if (state === 'connected') return sameKeys === true ? 'same keys' : 'connected'
  return expected === 'nothing' ? 'it refuses' : 'refused'
}

async function writeTables(): Promise<void> {
  const versions = await Promise.all(libraries.map(versionOf))
  const columns = libraries.flatMap(library => (['client', 'server'] as const).map(role => ({ library, role })))
  const rows = new Map<string, Result[]>()
  for (const result of results) {
    const key = `${result.case.group} | ${result.case.sent}`
    rows.set(key, [...(rows.get(key) ?? []), result])
  }
  const programs = [
    `| about | the program sends | ${columns.map(({ library, role }) => `${library} as ${role}`).join(' | ')} |`,
    `|---|---|${columns.map(() => '---|').join('')}`,
    ...[...rows].map(([key, all]) => {
      const cells = columns.map(({ library, role }) => {
        const own = all.find(({ case: { meeting } }) => meeting.library === library && meeting.role === role)
        if (own === undefined) return ''
        return own.fault === undefined ? outcomeOf(own.case, own.outcome) : '**wrong**'
      })
      return `| ${key} | ${cells.join(' | ')} |`
    }),
  ]
  const peers = [
    '| message | what is sent | what comes of it |',
    '|---|---|---|',
    ...scripted.map(({ group, sent, role, cameOfIt }) => {
      const whose = group.startsWith('Client') || group.startsWith('Server') ? group : `${group} of a ${role}`
      return `| ${whose} | ${sent} | ${cameOfIt} |`
    }),
  ]
  const names = libraries.map((library, at) => `${library} ${versions[at]}`).join(', ')
  let text = readFileSync(page, 'utf8')
  text = between(text, 'programs', [`${results.length} handshakes, with ${names}.`, '', ...programs])
  text = between(text, 'departures', peers)
  writeFileSync(page, text)
}

function between(text: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- ${name}: begin (npm run dtls -- --write) -->`
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(`<!-- ${name}: end -->`)
  if (from < begin.length || to === -1) throw new Error(`docs/dtls.md has no place for ${name}`)
  return `${text.slice(0, from)}\n${lines.join('\n')}\n${text.slice(to)}`
}
