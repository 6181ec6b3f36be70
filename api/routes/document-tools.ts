import { type Static, Type } from '@sinclair/typebox'
import { type AccountUuid, dialNouns, gatherPrompts, QueueFull, vocabulary } from '../../core/index.ts'
import { customerOf, turnOwnerOf } from '../access/guard.ts'
import { conflict, notFound, Refusal } from '../answer/refusal.ts'
import { timeOf } from '../answer/render.ts'
import type { WrittenLists } from '../answer/written-lists.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { jsonType } from '../request/failure.ts'
import { errors } from '../schema/error.ts'
import { identifier, listOf, resource } from '../schema/field.ts'
import { DocumentRevision, SimulatedCourse, SimulationInput, Vocabulary } from '../schema/simulation.ts'
import type { SimulationOrder } from '../simulation/order.ts'
import { reachedRates } from '../simulation/reached-rates.ts'
import { simulate } from '../simulation/run.ts'

const tags = ['documents']
const mostDocuments = 50

const busy = () =>
  new Refusal(503, 'Too many simulations are waiting. Try again in a moment.', { headers: { 'retry-after': '1' } })

/** Tools for authors of documents: vocabulary, simulation without a call, earlier revisions. */
export function documentToolRoutes(app: Api, door: SwitchDoor, turns: WorkTurns, lists: WrittenLists): void {
  const { documents, users, numbers, rates } = door.repositories

  app.get('/documents/vocabulary', {
    schema: {
      tags,
      summary: 'Verbs and their attributes',
      response: { 200: { ...resource(Vocabulary), description: 'For completion in editors.' }, ...errors() },
    },
    handler: async (_request, reply) => reply.send({ verbs: words }),
  })

  app.post('/documents/simulate', {
    schema: {
      tags,
      summary: 'Run a document in virtual time',
      description:
        'No call is placed. The switch itself runs it, with a caller who presses the keys that are given; hosted documents of the account that it names are followed, other servers are not asked. One simulation of an account runs at a time, and one more may wait.',
      body: SimulationInput,
      response: {
        200: { ...resource(SimulatedCourse), description: 'The course of the call.' },
        ...errors(400, 409, 413, 415, 422, 503),
      },
    },
    handler: async (request, reply) => {
      await turns.next(turnOwnerOf(request))
      const { accountUuid } = customerOf(request)
      const ratesOf = (named: readonly string[]) => reachedRates(rates.current(), named)
      const simulated = await simulate(accountUuid, { order: () => orderOf(accountUuid, request.body), ratesOf }).catch(
        (fault: unknown) => {
          throw fault instanceof QueueFull ? busy() : fault
        },
      )
      if (simulated.ok) return reply.send(simulated.course)
      throw conflict(`The document cannot be simulated: ${simulated.fault}.`)
    },
  })

  async function orderOf(account: AccountUuid, asked: Static<typeof SimulationInput>): Promise<SimulationOrder> {
    const [hosted, ownUsers, [number]] = await Promise.all([
      hostedBy(account),
      users.list(account),
      numbers.owned(account),
    ])
    return {
      body: asked.body,
      documents: hosted,
      url: 'https://document.invalid/simulated',
      press: asked.press ?? [],
      answer: asked.answer ?? 'answer',
      talkSeconds: asked.talk_seconds ?? 30,
      speakSeconds: asked.speak_seconds ?? 3,
      hangUpAfterSeconds: asked.hang_up_after_seconds,
      from: asked.from ?? '+254711111111',
      to: number?.number ?? '+254700000001',
      users: ownUsers
        .filter(user => user.isActive)
        .map(user => ({ extension: user.extensionNumber, isRegistered: true })),
    }
  }

  async function hostedBy(account: AccountUuid): Promise<Record<string, string>> {
    const { rows } = await documents.list(account, { limit: mostDocuments, offset: 0 })
    return Object.fromEntries(rows.map(({ url, body }) => [url, body]))
  }

  app.get('/documents/:uuid/revisions', {
    schema: {
      tags,
      summary: 'What a hosted document was before',
      description: 'The last 50 texts; to restore one, store its text again.',
      params: Type.Object({ uuid: identifier("The document's uuid.") }),
      response: { 200: listOf(DocumentRevision, 'Newest first; the first is what stands now.'), ...errors(404, 422) },
    },
    handler: async (request, reply) => {
      const found = await documents.revisions(customerOf(request).accountUuid, request.params.uuid)
      if (found === undefined) throw notFound('There is no such document.')
      const owner = turnOwnerOf(request)
      const rows = async function* () {
        for (const { id, name, body, createdUnix } of found) {
          await turns.nextBytes(owner, body.length)
          yield { id, name, body, created_at: timeOf(createdUnix) }
        }
      }
      return reply.type(jsonType).send(lists.write(owner, { head: '[', rows: rows(), tail: () => ']' }))
    },
  })
}

const words = [
  ...[...vocabulary].map(([name, { about }]) => ({
    name,
    summary: about.summary,
    within: gatherPrompts.has(name) ? ['Response', 'Gather'] : ['Response'],
    attributes: attributesOf(about.attributes),
    example: about.example,
  })),
  ...[...dialNouns].map(([name, { about }]) => ({
    name,
    summary: about.summary,
    within: ['Dial'],
    attributes: attributesOf(about.attributes),
    example: about.example,
  })),
]

function attributesOf(attributes: Readonly<Record<string, string>>) {
  return Object.entries(attributes).map(([name, summary]) => ({ name, summary }))
}
