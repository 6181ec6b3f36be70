import type { Filled } from '../model/sentence.ts'

/** Every sentence with which a document can be found fault with; `{name}` stands for a value. */
export const problemSentences = [
  '<{element}> {attribute}={value}: must be {wanted}',
  '<{element}> has no attribute {attribute}; it is ignored',
  '<{element}> {attribute}={value} is not understood; it is ignored',
  '{element} is no verb; it is skipped',
  'text {text} outside of a verb is ignored',
  'nothing after <{verb}> runs',
  'the document is larger than {limit} KB',
  'the document declares {encoding}; only UTF-8 is taken',
  'the document is UTF-16; only UTF-8 is taken',
  'the document is not valid UTF-8',
  'the root is <{element}>; it must be <Response>',
  '<Play> needs an asset, a URL or digits; it is skipped',
  '<Play> {url} cannot be played: {problem}',
  '<Redirect> {url} is skipped: {problem}',
  '<Say> has {length} characters, more than {limit}; it is not spoken',
  '<Say> has nothing to say; it is skipped',
  '<Say> knows no markup {element}; its text is spoken',
  'the breaks of one <Say> may last {limit} s together; this one is left out',
  '<Gather> text {text} outside of Say is ignored',
  '<Gather> has no child {element}; it is ignored',
  '<Dial> names no one to dial',
  '<Dial> text {text} beside its children is ignored',
  '<Dial> has no child {element}; it is ignored',
  '<Dial> rings at most {limit} children; this one is left out',
  '<Conference> must be the only child of its <Dial>; it is ignored',
  '<Conference> {name} is no name of a room; no caller enters it',
  "<Client> {client} is no end-user's uuid, extension or email; it is not dialled",
  '<Sip> {uri} is no SIP URI; it is not dialled',
  '<Sip> {uri} names a trunk, this switch or a private network; it is refused (END.0403)',
  '{number} is neither an E.164 number nor an extension; it is not dialled',
] as const

/** What an attribute `must be`; beside these its values, as `start or stop`. */
export const wantedValues = [
  'a whole number from {min} to {max}',
  'a number of seconds from {min} to {max}',
  'a URL: {problem}',
  'a number of the account',
  'an active number of the account',
  'a country code or the slug of an asset',
  'a language such as sw',
  'a password',
  'a user name',
  'busy or rejected',
  'keys of 0-9 * #',
  'the name of a voice',
  'the slug of an asset',
  'the slug of an asset, a country code or silence',
  'up to 128 of 0-9 A-D * # and w',
] as const

/** What is wrong with a URL. */
export const urlProblems = [
  'it is empty',
  'it is longer than {limit} characters',
  'it holds white space or control characters',
  'it cannot be read',
  'only http and https are allowed',
] as const

/** Why a document is no XML, beside what the parser itself says. */
export const xmlProblems = [
  'the document is empty',
  'no root element',
  'a document type declaration is not allowed',
  'elements are nested more than {limit} deep',
  'the document holds more than {limit} verbs',
  'the document holds more than {limit} elements',
  'attribute {attribute} stands twice',
  'an element has more than {limit} attributes',
] as const

export type ProblemSentence = Filled<(typeof problemSentences)[number]>
export type WantedValue = Filled<(typeof wantedValues)[number]>
export type UrlProblem = Filled<(typeof urlProblems)[number]>
export type XmlProblem = Filled<(typeof xmlProblems)[number]>
