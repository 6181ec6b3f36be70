import { Attributes } from './attributes.ts'
import { type Element, squeezed, textOf } from './element.ts'
import { type Notes, quoted } from './problem.ts'
import type { DialChild } from './program.ts'

export const maxDialChildren = 10

/** E.164, or an extension of the account. */
export const dialableNumber = /^(\+\d{7,15}|\d{1,15})$/

type ReadChild = (element: Element, attributes: Attributes, notes: Notes) => DialChild | undefined

const nouns: ReadonlyMap<string, ReadChild> = new Map([
  ['Number', readNumber],
  ['Client', readClient],
  ['Sip', readSip],
])

/** Whom a Dial rings: its nouns, or its plain text as one Number. What cannot be dialled is noted and left out. */
export function readDialChildren(dial: Element, notes: Notes): readonly DialChild[] {
  const elements = dial.children.filter(child => typeof child !== 'string')
  const text = squeezed(dial.children.filter(child => typeof child === 'string').join(' '))
  if (elements.length === 0) {
    if (text !== '') return present(plainNumber(dial, text, '', notes))
    notes.add(dial, '<Dial> names nobody to dial')
    return []
  }
  if (text !== '') notes.add(dial, `<Dial> text ${quoted(text)} beside its children is ignored`)
  const children: DialChild[] = []
  for (const element of elements) {
    const read = nouns.get(element.name)
    if (read === undefined) {
      notes.add(element, `<Dial> has no child ${quoted(element.name)}; it is ignored`)
      continue
    }
    const attributes = new Attributes(element, notes)
    const child = read(element, attributes, notes)
    attributes.noteUnknown()
    if (child === undefined) continue
    if (children.length === maxDialChildren) {
      notes.add(element, `<Dial> rings at most ${maxDialChildren} children; this one is left out`)
      continue
    }
    children.push(child)
  }
  return children
}

const present = (child: DialChild | undefined): DialChild[] => (child === undefined ? [] : [child])

function readNumber(element: Element, attributes: Attributes, notes: Notes): DialChild | undefined {
  const sendDigits = attributes.text('sendDigits', /^[0-9A-Da-d*#w]{1,128}$/, 'up to 128 of 0-9 A-D * # and w') ?? ''
  return plainNumber(element, squeezed(textOf(element)), sendDigits.toUpperCase().replaceAll('W', 'w'), notes)
}

function plainNumber(at: Element, written: string, sendDigits: string, notes: Notes): DialChild | undefined {
  // People write numbers in groups: +254 20 123-4567.
  const number = written.replace(/[\s().-]/g, '')
  if (dialableNumber.test(number)) return { kind: 'number', number, sendDigits }
  notes.add(at, `${quoted(written)} is neither an E.164 number nor an extension; it is not dialled`)
  return undefined
}

function readClient(element: Element, _attributes: Attributes, notes: Notes): DialChild | undefined {
  const client = squeezed(textOf(element))
  if (/^[^\s]{1,320}$/.test(client)) return { kind: 'client', client }
  notes.add(element, `<Client> ${quoted(client)} is no end-user's uuid, extension or email; it is not dialled`)
  return undefined
}

function readSip(element: Element, attributes: Attributes, notes: Notes): DialChild | undefined {
  const username = attributes.text('username', /^[^\u0000-\u001f"\u007f]{1,128}$/, 'a user name')
  const password = attributes.text('password', /^[^\u0000-\u001f\u007f]{1,128}$/, 'a password')
  const uri = squeezed(textOf(element))
  if (!/^sips?:[^\s<>"\u0000-\u001f\u007f]{1,508}$/i.test(uri)) {
    notes.add(element, `<Sip> ${quoted(uri)} is no SIP URI; it is not dialled`)
    return undefined
  }
  return {
    kind: 'sip',
    uri,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  }
}
