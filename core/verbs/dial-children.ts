import { Attributes } from './attributes.ts'
import { aboutConference, readConference } from './conference.ts'
import { type ProblemList, quoted } from './problem.ts'
import type { ConferenceOrder, DialChild } from './program.ts'
import type { VerbAbout } from './verb.ts'
import { type Element, squeezed, textOf } from './xml.ts'

export const maxDialChildren = 10

/** E.164, or an extension of the account. */
export const dialableNumber = /^(\+\d{7,15}|\d{1,15})$/

/** RFC 3261 §19.1.1, as far as a document can be checked at once: no brackets or quotes, one host, a port that there is. */
const sipUri = /^sips?:(?:[^@]+@)?(\[[\d.:a-f]+\]|[^@:;?[\]]+)(?::(\d+))?(?:[;?][^@]*)?$/i
/** A name ends in a label that begins with a letter; what looks like another spelling of an IPv4 address is none. */
const numericEnd = /(?:^|\.)\d[^.]*\.?$/
const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
const inSipUri = /^[^\s<>"\u0000-\u001f\u007f]{1,513}$/

const isSipUri = (text: string): boolean => {
  const found = inSipUri.test(text) ? sipUri.exec(text) : null
  if (found === null) return false
  const [, host = '', written] = found
  if (!host.startsWith('[') && numericEnd.test(host) && !ipv4.test(host)) return false
  const port = Number(written ?? 5060)
  return port > 0 && port < 65_536
}

type ReadChild = (
  element: Element,
  attributes: Attributes,
  problems: ProblemList,
) => DialChild | ConferenceOrder | undefined

const sipSummary =
  "A SIP address of an external server. One that leads to a trunk, to this switch, or to a private or loopback network (unless `SAUTI_ALLOW_PRIVATE_URLS`) is refused: `failed`, END.0403; where the URI shows it, DOC.0422 says so. It is rated by the deck's longest `sip:` prefix; without one it costs nothing, and needs a balance above zero (END.0402). A user part that is an international number is held against the blocked destinations (END.4433)."

/** Destinations that a Dial can ring, and where it can lead. */
export const dialNouns: ReadonlyMap<string, { readonly read: ReadChild; readonly about: VerbAbout }> = new Map([
  [
    'Number',
    {
      read: readNumber,
      about: {
        summary: 'A phone number, or an extension of the account.',
        content: 'E.164 (`+` and 7 to 15 digits), grouped as people write it, or an extension.',
        attributes: { sendDigits: 'DTMF sent when it is answered; `w` waits half a second.' },
        example: '<Dial><Number sendDigits="ww12#">+254 711 000 001</Number></Dial>',
      },
    },
  ],
  [
    'Client',
    {
      read: readClient,
      about: {
        summary: 'An end-user of the account. While none of its softphones is registered: END.1480.',
        content: 'Its uuid, extension or email.',
        attributes: {},
        example: '<Dial><Client>amina@example.com</Client></Dial>',
      },
    },
  ],
  [
    'Sip',
    {
      read: readSip,
      about: {
        summary: sipSummary,
        content: 'A `sip:` or `sips:` URI.',
        attributes: { username: 'Digest user name.', password: 'Digest password.' },
        example: '<Dial><Sip username="desk" password="secret">sip:desk@pbx.example.com</Sip></Dial>',
      },
    },
  ],
  ['Conference', { read: readConference, about: aboutConference }],
])

interface DialChildren {
  readonly targets: readonly DialChild[]
  /** There are no targets beside it. */
  readonly conference?: ConferenceOrder
}

/**
 * The targets of a Dial: its nouns, or its plain text as one Number; or the room that it leads to. Invalid targets
 * are reported and left out.
 */
export function readDialChildren(dial: Element, problems: ProblemList): DialChildren {
  const elements = dial.children.filter(child => typeof child !== 'string')
  const text = squeezed(dial.children.filter(child => typeof child === 'string').join(' '))
  if (elements.length === 0) {
    if (text !== '') return { targets: present(plainNumber(dial, text, '', problems)) }
    problems.add(dial, '<Dial> names no one to dial')
    return { targets: [] }
  }
  if (text !== '') problems.add(dial, `<Dial> text ${quoted(text)} beside its children is ignored`)
  const children: DialChild[] = []
  for (const element of elements) {
    const noun = dialNouns.get(element.name)
    if (noun === undefined) {
      problems.add(element, `<Dial> has no child ${quoted(element.name)}; it is ignored`)
      continue
    }
    const attributes = new Attributes(element, problems)
    const child = noun.read(element, attributes, problems)
    attributes.noteUnknown()
    if (child === undefined) continue
    if (child.kind === 'conference') {
      if (elements.length === 1) return { targets: [], conference: child }
      problems.add(element, '<Conference> must be the only child of its <Dial>; it is ignored')
      continue
    }
    if (children.length === maxDialChildren) {
      problems.add(element, `<Dial> rings at most ${maxDialChildren} children; this one is left out`)
      continue
    }
    children.push(child)
  }
  return { targets: children }
}

const present = (child: DialChild | undefined): DialChild[] => (child === undefined ? [] : [child])

function readNumber(element: Element, attributes: Attributes, problems: ProblemList): DialChild | undefined {
  const sendDigits = attributes.text('sendDigits', /^[0-9A-Da-d*#w]{1,128}$/, 'up to 128 of 0-9 A-D * # and w') ?? ''
  return plainNumber(element, squeezed(textOf(element)), sendDigits.toUpperCase().replaceAll('W', 'w'), problems)
}

function plainNumber(at: Element, written: string, sendDigits: string, problems: ProblemList): DialChild | undefined {
  // People write numbers in groups: +254 20 123-4567.
  const number = written.replace(/[\s().-]/g, '')
  if (dialableNumber.test(number)) return { kind: 'number', number, sendDigits }
  problems.add(at, `${quoted(written)} is neither an E.164 number nor an extension; it is not dialled`)
  return undefined
}

function readClient(element: Element, _attributes: Attributes, problems: ProblemList): DialChild | undefined {
  const client = squeezed(textOf(element))
  if (/^[^\s]{1,320}$/.test(client)) return { kind: 'client', client }
  problems.add(element, `<Client> ${quoted(client)} is no end-user's uuid, extension or email; it is not dialled`)
  return undefined
}

function readSip(element: Element, attributes: Attributes, problems: ProblemList): DialChild | undefined {
  const username = attributes.text('username', /^[^\u0000-\u001f"\u007f]{1,128}$/, 'a user name')
  const password = attributes.text('password', /^[^\u0000-\u001f\u007f]{1,128}$/, 'a password')
  const uri = squeezed(textOf(element))
  if (!isSipUri(uri)) {
    problems.add(element, `<Sip> ${quoted(uri)} is no SIP URI; it is not dialled`)
    return undefined
  }
  // It stays among the children, and fails there like a name that leads to such a place.
  if (problems.rules.refusesSip?.(uri) === true)
    problems.add(
      element,
      `<Sip> ${quoted(uri)} names a trunk, this switch or a private network; it is refused (END.0403)`,
    )
  return {
    kind: 'sip',
    uri,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  }
}
