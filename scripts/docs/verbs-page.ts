import { dialNouns } from '../../core/verbs/dial-children.ts'
import { maxVerbs } from '../../core/verbs/document.ts'
import { maxSilentVerbs } from '../../core/verbs/interpreter.ts'
import { ProblemList } from '../../core/verbs/problem.ts'
import { vocabulary } from '../../core/verbs/registry.ts'
import { maxUrlLength } from '../../core/verbs/url.ts'
import type { VerbAbout, VerbSource } from '../../core/verbs/verb.ts'
import { type Element, maxAttributes, maxDepth, maxElements } from '../../core/verbs/xml.ts'
import { type AttributeFacts, AttributeSpy } from './attribute-spy.ts'
import { code, generated, page, table } from './markdown.ts'

/** What is planned in the same style; what has come since is left out by itself. */
const planned = ['Gather', 'Reject', 'Conference', 'Queue', 'Connect', 'Stream', 'Refer']
const missing = / is not available yet/

interface Described {
  readonly name: string
  readonly about: VerbAbout
  readonly read: (source: VerbSource) => unknown
}

/** `docs/verbs.md`: the vocabulary, asked of the verbs themselves. */
export function verbsPage(): string {
  const verbs = [...vocabulary].map(([name, { about, parse }]): Described => ({ name, about, read: parse }))
  const nouns = [...dialNouns].map(
    ([name, { about, read }]): Described => ({
      name,
      about,
      read: source => read(source.element, source.attributes, source.problems),
    }),
  )
  const later = planned.filter(name => !vocabulary.has(name) && !dialNouns.has(name))
  return page(
    '# Verbs',
    generated,
    rules,
    ...verbs.flatMap(verb => [
      described(verb, '##'),
      ...(verb.name === 'Dial' ? nouns.map(noun => described(noun, '###')) : []),
    ]),
    later.length === 0
      ? ''
      : `## Not yet\n\n${later.map(code).join(', ')}: skipped with DOC.0422, and the call goes on.`,
  )
}

const rules = `A document is XML in UTF-8 of at most 64 KB with the root \`<Response>\`, answered with status 200 within 10 s. Names are case-sensitive; no DTD, no
entities but XML's five. An unknown verb or attribute and a bad value are skipped with DOC.0422 (line and column), and the call goes on; a
document that cannot be had, is malformed, or holds no known verb runs the account's fallback. \`<Response/>\` refuses an unanswered call. The end of
the document ends the call. It has at most ${maxVerbs} verbs and ${maxElements} elements, ${maxDepth} deep and with ${maxAttributes} attributes each; one with more is malformed. URLs may be relative to the document, and have at most ${maxUrlLength} characters; a relative one has no more once it is resolved and percent-encoded.

An inbound call is answered by the first verb that needs audio (Say, Play, Record), by a bridge, by a place in a Conference, or by Dial with
\`answerOnBridge="false"\`. When the caller hangs up, the running verb stops at once; Dial and Record still post their action, once. More than 50 documents without a second of audio or an
answer between them end the call with END.3482, and so do more than ${maxSilentVerbs} verbs. A Dial that ends unanswered within a second lets the document go on at once ten times in a call, and once a
second after that. A call begins 100 recordings at once and one a second after that, and has at most 8 that have not ended; more are refused with REC.0400. Of events that no status callback carries (DOC,
PLAY, SAY, DTMF) it writes 200 at once and 10 a second; EVENT.0429 says at its end how many were left out. Of keys, a caller's first 64 count at once, and 25 a second after that.

\`POST /documents/check\` reports the problems of a document without a call. A hosted document may hold \`{{CallSid}}\`, \`{{From}}\`, \`{{To}}\`, \`{{Direction}}\`,
\`{{CallStatus}}\`, \`{{AccountSid}}\`, \`{{customPayload}}\`, \`{{endUser.display_name}}\`, \`{{endUser.extension_number}}\`; filled in, it has at most 64 KB too.`

function described({ name, about, read }: Described, level: string): string {
  const { asked, problems } = parse(read, name, {})
  const unknown = Object.keys(about.attributes).filter(each => !asked.some(facts => facts.name === each))
  if (unknown.length > 0) throw new Error(`<${name}> describes ${unknown.join(', ')}, which it never reads`)
  const absent = problems.find(note => missing.test(note))
  const rows = asked.map(facts => {
    const meaning = about.attributes[facts.name]
    if (meaning === undefined) throw new Error(`<${name}> does not describe its attribute ${facts.name}`)
    return row(read, name, facts, meaning)
  })
  const action = Object.entries(about.actionFields ?? {}).map(([field, meaning]) => [code(field), meaning])
  return [
    `${level} ${name}`,
    absent === undefined ? '' : `**Not available yet:** ${absent.split('; ').at(-1)}.`,
    `${about.summary}${about.content === undefined ? '' : ` Content: ${lowerFirst(about.content)}`}`,
    rows.length === 0 ? '' : table(['Attribute', 'Value', 'Limits', 'Default', 'Meaning'], rows),
    action.length === 0 ? '' : `What its \`action\` request adds:\n\n${table(['Field', 'Meaning'], action)}`,
    `\`\`\`xml\n<Response>\n  ${about.example}\n</Response>\n\`\`\``,
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function row(read: Described['read'], name: string, facts: AttributeFacts, meaning: string): string[] {
  const match = /^(.*?)\s*Default: (.+?)\.?$/s.exec(meaning)
  const fallback = facts.fallback === '' ? (match?.[2] ?? 'none') : code(facts.fallback)
  const absent = facts.choices.filter(value =>
    parse(read, name, { [facts.name]: value }).problems.some(note =>
      note.includes(`${facts.name}="${value}" is not avail`),
    ),
  )
  const later = absent.length === 0 ? '' : ` Not available yet: ${absent.map(code).join(', ')}.`
  return [code(facts.name), facts.type, facts.limits, fallback, `${match?.[1] ?? meaning}${later}`]
}

function parse(read: Described['read'], name: string, attributes: Readonly<Record<string, string>>) {
  const element: Element = { name, attributes: new Map(Object.entries(attributes)), children: [], line: 1, column: 1 }
  const problems = new ProblemList()
  const spy = new AttributeSpy(element, problems)
  read({ element, attributes: spy, problems })
  return { asked: spy.asked, problems: problems.list().map(problem => problem.message) }
}

const lowerFirst = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
