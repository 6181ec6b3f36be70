import type { Call } from '../api-types.ts'
import type { DocumentCourse } from './document-course.ts'
import type { TraceProblem } from './trace.ts'

type Code = TraceProblem['code']

/** Where a person looks or mends: pages of the portal, and cards of the call's own page. */
type Place = 'wallet' | 'route' | 'document' | 'people' | 'assets' | 'recordings' | 'ladder' | 'quality' | 'timeline'

/** For each reason and problem, the most useful place first; none where a customer can do nothing. */
const places: Readonly<Record<Code, readonly Place[]>> = {
  'END.0200': [],
  'END.0201': [],
  'END.0202': [],
  'END.0210': ['document'],
  'END.0211': ['wallet'],
  'END.0212': ['quality', 'timeline'],
  'END.0400': ['ladder'],
  'END.0402': ['wallet'],
  'END.0403': ['document'],
  'END.0404': ['document'],
  'END.0406': ['ladder'],
  'END.0408': ['document'],
  'END.0410': ['document'],
  'END.0480': ['document'],
  'END.0484': ['document'],
  'END.0486': ['document'],
  'END.0487': ['timeline'],
  'END.0488': ['ladder'],
  'END.0500': ['ladder'],
  'END.0503': [],
  'END.0603': ['document'],
  'END.1401': [],
  'END.1408': ['ladder'],
  'END.1480': ['people'],
  'END.2408': [],
  'END.2409': ['ladder'],
  'END.2410': ['timeline'],
  'END.3404': ['route', 'document'],
  'END.3408': ['route', 'document'],
  'END.3413': ['document', 'route'],
  'END.3422': ['document', 'route'],
  'END.3482': ['document'],
  'END.3502': ['route', 'document'],
  'END.4403': [],
  'END.4429': [],
  'END.4430': [],
  'END.4433': ['document'],
  'END.5410': [],
  'END.5500': [],
  'END.5503': [],
  'PLAY.0400': ['document'],
  'PLAY.0404': ['document'],
  'PLAY.0408': ['assets', 'document'],
  'PLAY.0413': ['document'],
  'PLAY.0415': ['document'],
  'SAY.0404': ['document'],
  'SAY.0413': ['document'],
  'SAY.0500': ['document'],
  'REC.0400': ['recordings'],
}

/** Where the sentence says more: the first whose words stand in it. */
const placesBySentence: readonly (readonly [code: Code, words: RegExp, places: readonly Place[]])[] = [
  ['END.0200', /^The call was cut /, ['ladder']],
  ['END.0202', / before it was answered/, ['document']],
  // A remote refused: its response tells more than the own wallet, or the want of a route.
  ['END.0402', / It answered \d/, ['ladder']],
  ['END.0503', / It answered \d/, ['ladder']],
  ['PLAY.0404', /^There is no asset /, ['assets', 'document']],
]

/** What a page of a call has, and so can lead to. */
export interface CallParts {
  readonly call: Pick<Call, 'direction' | 'to_number'>
  readonly courses: readonly DocumentCourse[]
  /** The account's documents that the switch hosts. */
  readonly own: readonly { readonly uuid: string; readonly name: string; readonly url: string }[]
  readonly hasLadder: boolean
  readonly hasQuality: boolean
}

/** A way from the sentence to where something can be done. */
export type Step =
  | { readonly to: 'wallet' | 'people' | 'webhooks' | 'assets' | 'recordings' | 'ladder' | 'quality' | 'timeline' }
  /** Where calls to a number go. */
  | { readonly to: 'number'; readonly number: string }
  | { readonly to: 'document'; readonly uuid: string; readonly name: string; readonly line: number | undefined }
  /** A document of the customer's own server, as the page of the call shows it. */
  | { readonly to: 'documents'; readonly line: number | undefined }

/** The steps for one sentence of the switch, which may name a document and a line. */
export function nextSteps(code: string, sentence: string, parts: CallParts): readonly Step[] {
  const [, , own] = placesBySentence.find(([of, words]) => of === code && words.test(sentence)) ?? []
  return (own ?? places[code as Code] ?? []).flatMap(place => stepTo(place, sentence, parts) ?? [])
}

function stepTo(place: Place, sentence: string, parts: CallParts): Step | undefined {
  switch (place) {
    case 'route':
      return parts.call.direction === 'inbound' ? { to: 'number', number: parts.call.to_number } : { to: 'webhooks' }
    case 'document':
      return documentStep(sentence, parts)
    case 'ladder':
      return parts.hasLadder ? { to: place } : undefined
    case 'quality':
      return parts.hasQuality ? { to: place } : undefined
    default:
      return { to: place }
  }
}

function documentStep(sentence: string, { courses, own }: CallParts): Step | undefined {
  const course = courses.findLast(({ url }) => sentence.includes(url)) ?? courses.at(-1)
  if (course === undefined) return undefined
  const [, named] = /\bline (\d+), column \d+/.exec(sentence) ?? []
  const line = named === undefined ? course.verbs.at(-1)?.line : Number(named)
  const hosted = own.find(({ url }) => url === course.url)
  if (hosted === undefined) return { to: 'documents', line }
  return { to: 'document', uuid: hosted.uuid, name: hosted.name, line }
}
