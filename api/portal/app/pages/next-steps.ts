import type { Call } from '../api-types.ts'
import type { DocumentCourse } from './document-course.ts'
import type { Trace } from './trace.ts'

type Reason = NonNullable<Trace['end']>['reason_code']

/** Where a person looks or mends: pages of the portal, and cards of the call's own page. */
type Place = 'wallet' | 'route' | 'document' | 'people' | 'ladder' | 'quality' | 'timeline'

/** For each reason, the most useful place first; none where a customer can do nothing. */
const places: Readonly<Record<Reason, readonly Place[]>> = {
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
}

/** Where it was a remote that refused: its response tells more than the own wallet, or the want of a route. */
const whenAnswered: Partial<Readonly<Record<Reason, readonly Place[]>>> = {
  'END.0402': ['ladder'],
  'END.0503': ['ladder'],
}
const answered = / It answered \d/

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
  | { readonly to: 'wallet' | 'people' | 'webhooks' | 'ladder' | 'quality' | 'timeline' }
  /** Where calls to a number go. */
  | { readonly to: 'number'; readonly number: string }
  | { readonly to: 'document'; readonly uuid: string; readonly name: string; readonly line: number | undefined }
  /** A document of the customer's own server, as the page of the call shows it. */
  | { readonly to: 'documents'; readonly line: number | undefined }

/** The steps for one sentence of the switch, which may name a document and a line. */
export function nextSteps(code: string, sentence: string, parts: CallParts): readonly Step[] {
  const own = answered.test(sentence) ? whenAnswered[code as Reason] : undefined
  return (own ?? places[code as Reason] ?? []).flatMap(place => stepTo(place, sentence, parts) ?? [])
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
