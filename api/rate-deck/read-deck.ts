import type { Static } from '@sinclair/typebox'
import type { ErrorObject } from 'ajv'
import {
  DeckPacker,
  isSipPrefix,
  maxJsonLevels,
  type PackedDeck,
  parseMoney,
  piecesOf,
  type Rate,
} from '../../core/deck/index.ts'
import { fieldProblems } from '../answer/field-problems.ts'
import { invalid, misfit } from '../answer/refusal.ts'
import { extentOf, parseJson } from '../request/json-body.ts'
import { validatorCompiler } from '../request/validation.ts'
import { RateDeck } from '../schema/rate.ts'

type GivenRate = Static<typeof RateDeck>['rates'][number]

const validate = validatorCompiler()({ schema: RateDeck, method: 'PUT', url: '/operator/rates', httpPart: 'body' })

/** The body of `PUT /operator/rates`; throws the `Refusal` of one that is no rate deck. */
export function readDeck(bytes: Buffer): PackedDeck {
  const body = parseJson(bytes, extentOf(bytes).levels, maxJsonLevels)
  const found = (validate(body) as { readonly error?: { readonly validation: readonly ErrorObject[] } }).error
  if (found !== undefined) throw misfit(fieldProblems(found.validation, 'body'))
  const { rates } = body as Static<typeof RateDeck>
  const wrong = rates.findIndex(({ direction, prefix }) => direction === 'inbound' && isSipPrefix(prefix))
  if (wrong !== -1) throw invalid(`rates[${wrong}].direction`, 'must be "outbound" where the prefix begins with sip:')
  const packer = new DeckPacker()
  for (const piece of piecesOf(rates)) packer.add(piece.map(rateOf))
  return packer.packed()
}

const rateOf = (rate: GivenRate): Rate => ({
  prefix: rate.prefix,
  direction: rate.direction,
  ratePerMinute: parseMoney(rate.rate_per_minute) ?? 0,
  incrementSeconds: rate.increment_seconds ?? 60,
  minimumSeconds: rate.minimum_seconds ?? 0,
  connectionFee: parseMoney(rate.connection_fee ?? '0') ?? 0,
})
