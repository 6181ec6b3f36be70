import type { Parsed } from '../base/parsed.ts'
import { formatParameters, type Parameter, parseParameters } from '../grammar/parameters.ts'

/** RFC 3261 §20.15. `type` and `subtype` in lower case. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: readonly Parameter[]
}

const essence = /^\s*([-.!%*_+`'~0-9A-Za-z]+)\s*\/\s*([-.!%*_+`'~0-9A-Za-z]+)/

export function parseMediaType(text: string): Parsed<MediaType, 'bad-media-type' | 'bad-parameter'> {
  const match = essence.exec(text)
  if (match === null) return { ok: false, reason: 'bad-media-type', at: 0 }
  const parameters = parseParameters(text, match[0].length)
  if (!parameters.ok) return parameters
  const [, type = '', subtype = ''] = match
  return { ok: true, value: { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters: parameters.value } }
}

export const formatMediaType = ({ type, subtype, parameters }: MediaType): string =>
  `${type}/${subtype}${formatParameters(parameters)}`

/** Whether an Accept range (one value of the list) takes this type; parameters do not count. */
export const accepts = (range: MediaType, wanted: Pick<MediaType, 'type' | 'subtype'>): boolean =>
  (range.type === '*' || range.type === wanted.type) && (range.subtype === '*' || range.subtype === wanted.subtype)
