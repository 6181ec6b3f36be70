import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { piecesOf } from '../../../core/deck/index.ts'
import type { Rate } from '../../../core/index.ts'
import { turnOwnerOf } from '../../access/guard.ts'
import { renderRate } from '../../answer/render.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import type { WorkTurns } from '../../base/work-turns.ts'
import { DeckReader } from '../../rate-deck/deck-reader.ts'
import { jsonType } from '../../request/failure.ts'
import { errors } from '../../schema/error.ts'
import { listOf } from '../../schema/field.ts'
import { Destinations, RateDeck, Rate as RateSchema } from '../../schema/rate.ts'

/** A deck of 50,000 rows is some 8 MB of JSON. */
const maxDeckBytes = 16 * 1024 * 1024
const config = { access: 'operator' } as const
const tags = ['operator']

/** There is no body. */
const noBytes = Buffer.alloc(0)

export function operatorRateRoutes(app: Api, door: SwitchDoor, turns: WorkTurns): void {
  const { rates, destinations } = door.repositories
  const deck = Type.Object(
    { rates: listOf(RateSchema, 'By direction and prefix.') },
    { description: 'The whole deck.' },
  )
  const reader = new DeckReader()
  /** Text of each deck, made once: a deck has megabytes, and is needed before and after a change. */
  const texts = new WeakMap<readonly Rate[], string>()
  const written = async (request: FastifyRequest): Promise<string> => {
    const current = rates.current()
    const known = texts.get(current)
    if (known !== undefined) return known
    const slices: string[] = []
    for (const piece of piecesOf(current)) {
      await turns.next(turnOwnerOf(request))
      slices.push(JSON.stringify(piece.map(renderRate)).slice(1, -1))
    }
    const text = `{"rates":[${slices.join(',')}]}`
    texts.set(current, text)
    return text
  }

  app.get('/operator/rates', {
    config,
    schema: { tags, summary: 'The rate deck', response: { 200: deck, ...errors() } },
    handler: async (request, reply) => reply.type(jsonType).send(await written(request)),
  })

  app.put('/operator/rates', {
    config: { ...config, takesBytes: true },
    bodyLimit: maxDeckBytes,
    // The reader validates.
    validatorCompiler: () => () => true,
    schema: {
      tags,
      summary: 'Replace the rate deck',
      description: 'The longest prefix wins. Live calls keep the rate that they were admitted with.',
      body: RateDeck,
      response: { 200: deck, ...errors(400, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const body: unknown = request.body
      await rates.replacePacked(await reader.read(Buffer.isBuffer(body) ? body : noBytes))
      return reply.type(jsonType).send(await written(request))
    },
  })

  app.get('/operator/destinations', {
    config,
    schema: { tags, summary: 'Where calls may go', response: { 200: Destinations, ...errors() } },
    handler: async (_request, reply) => reply.send(destinations.get()),
  })

  app.put('/operator/destinations', {
    config,
    schema: {
      tags,
      summary: 'Replace the lists of destinations',
      description: 'Premium and satellite prefixes stay blocked until they, or longer ones, stand in `allowed`.',
      body: Destinations,
      response: { 200: Destinations, ...errors(400, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      await destinations.replace(request.body)
      return reply.send(destinations.get())
    },
  })
}
