import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { TestCallResult, TestRefusal } from '../../../core/index.ts'
import { conflict, invalid, notFound, Refusal } from '../../answer/refusal.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { errors } from '../../schema/error.ts'
import { identifier, resource } from '../../schema/field.ts'
import { TrunkTest, TrunkTestOrder } from '../../schema/operator-console.ts'

const noHost = 'The trunk has no host: it only calls in.'

/** OPTIONS to a trunk, and where a number is given a call with tones that an echo service sends back. */
export function trunkTestRoutes(app: Api, door: SwitchDoor): void {
  const { trunks } = door.repositories

  app.post('/operator/trunks/:uuid/test', {
    config: { access: 'operator' },
    schema: {
      tags: ['operator'],
      summary: 'Send OPTIONS to a trunk, and call through it',
      description: [
        'OPTIONS alone takes ten seconds at most. With `to` the number is called through this trunk beside it: on answer the',
        'switch sends tones for two and a half seconds, looks for them in what comes back, and hangs up; twenty seconds at',
        "most. The call is no account's and costs none of them money; what the carrier charges is yours. Blocked",
        "destinations, the trunk's prefixes and its `max_calls` apply; one test at a time on a trunk. It ends when the request",
        'goes away.',
      ].join(' '),
      params: Type.Object({ uuid: identifier("The trunk's uuid.") }),
      body: TrunkTestOrder,
      response: {
        200: { ...resource(TrunkTest), description: 'What came of it.' },
        ...errors(400, 403, 404, 409, 413, 415, 422, 503),
      },
    },
    // The body may be left out: then OPTIONS alone is sent.
    preValidation: async request => {
      if (request.body === undefined) request.body = {}
    },
    handler: async (request, reply) => {
      const trunk = trunks.get(request.params.uuid)
      if (trunk === undefined) throw notFound('There is no such trunk.')
      const { to, from = trunk.username || 'test' } = request.body
      if (to !== undefined && door.testCall === undefined) throw conflict('This switch places no calls.')
      const called = to === undefined ? undefined : door.testCall?.(trunk.uuid, { to, from, signal: goneSignal(reply) })
      const asked = door.testTrunk?.(trunk.uuid)
      const call = await called
      // A call that is refused is refused at once.
      if (typeof call === 'string') throw refusalOf(call)
      const options = await asked
      if (options === undefined) throw conflict(noHost)
      return reply.send({
        is_reachable: options.isReachable,
        milliseconds: options.milliseconds,
        call: call === undefined ? null : rendered(call),
      })
    },
  })
}

/** Aborted when the connection closes before the answer. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

function refusalOf(refused: TestRefusal): Refusal {
  switch (refused) {
    case 'draining':
      return new Refusal(503, 'The switch drains and takes no new calls.', { code: 'END.5503' })
    case 'blocked':
      return new Refusal(403, 'The lists of destinations block this number.', { code: 'END.4433' })
    case 'prefix':
      return invalid('to', "no prefix of this trunk fits the number; change the trunk's prefixes or the number")
    case 'running':
      return conflict('A test call runs on this trunk. Wait for its result.')
    case 'full':
      return conflict('The trunk has as many calls as its max_calls or max_cps allow. Try again when one has ended.')
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10

function rendered({ outcome, dialled, sipStatus, reason, figures, echo }: TestCallResult) {
  const { ringingMs, answeredMs, endedMs, codec, stats } = figures
  const received = stats !== undefined && stats.packetsReceived > 0 ? stats : undefined
  return {
    outcome,
    dialled,
    sip_status: sipStatus ?? null,
    reason_code: reason ?? null,
    ringing_ms: ringingMs === undefined ? null : Math.round(ringingMs),
    answered_ms: answeredMs === undefined ? null : Math.round(answeredMs),
    ended_ms: Math.round(endedMs),
    codec: codec ?? null,
    packets_sent: stats?.packetsSent ?? 0,
    packets_received: stats?.packetsReceived ?? 0,
    loss_percent: received === undefined ? null : tenths(received.lossPercent),
    jitter_ms: received === undefined ? null : tenths(received.jitterMs),
    mos: received?.mos === undefined ? null : Math.round(received.mos * 100) / 100,
    round_trip_ms: received?.roundTripMs === undefined ? null : tenths(received.roundTripMs),
    echo_ms: echo?.delayMs ?? null,
    echo_percent: echo?.percent ?? null,
  }
}
