import type { AccountUuid, AudioCapture } from '../../../core/index.ts'
import { conflict, invalid, notFound } from '../../answer/refusal.ts'
import { timeOf } from '../../answer/render.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { Capture, CaptureOrder } from '../../schema/capture.ts'
import { errors } from '../../schema/error.ts'
import { byUuid, listOf, message, resource } from '../../schema/field.ts'

const config = { access: 'operator' } as const
const tags = ['operator']
const usualSeconds = 300

/** Audio of calls for Wireshark: only what an operator asks for, and only from then on. */
export function captureRoutes(app: Api, door: SwitchDoor): void {
  const captures = () => {
    if (door.captures === undefined) throw conflict('Calls are not recorded: recorder.memory_mb is 0.')
    return door.captures
  }

  app.get('/operator/captures', {
    config,
    schema: {
      tags,
      summary: 'Whose audio is captured now',
      response: { 200: listOf(Capture, 'Oldest first.'), ...errors() },
    },
    handler: async (_request, reply) => reply.send((door.captures?.all ?? []).map(rendered)),
  })

  app.post('/operator/captures', {
    config,
    schema: {
      tags,
      summary: 'Capture the audio of a call, or of calls of an account',
      description: [
        "Until the time is over, RTP packets of the call's legs are kept whole with its trace, as they are before protection:",
        'of legs that live, and of those that begin. `GET /calls/{uuid}/trace.pcapng?audio=true` has them. The trace of each',
        'call shows that its audio was captured. It ends with the switch.',
      ].join(' '),
      body: CaptureOrder,
      response: {
        201: { ...resource(Capture), description: 'What is captured.' },
        ...errors(400, 404, 409, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const { call, account, seconds = usualSeconds } = request.body
      if ((call === undefined) === (account === undefined)) throw invalid('call', 'give either a call or an account')
      if (account !== undefined && (await door.repositories.accounts.get(account as AccountUuid)) === undefined)
        throw notFound('There is no such account.')
      const begun =
        call === undefined ? captures().ofAccount(account as AccountUuid, seconds) : captures().ofCall(call, seconds)
      if (begun === undefined) throw notFound('No such call lives.')
      if (begun === 'too-many') throw conflict('Too many captures run: end those that are not needed.')
      return reply.code(201).send(rendered(begun))
    },
  })

  app.delete('/operator/captures/:uuid', {
    config,
    schema: {
      tags,
      summary: 'End a capture',
      description: 'What was captured stays with the traces.',
      params: byUuid('capture'),
      response: { 200: message('Done.'), ...errors(404, 409, 422) },
    },
    handler: async (request, reply) => {
      if (!captures().end(request.params.uuid)) throw notFound('There is no such capture.')
      return reply.send({ message: 'The capture has ended.' })
    },
  })
}

const rendered = ({ uuid, call, account, beganUnix, endsUnix }: AudioCapture) => ({
  uuid,
  call: call === '' ? null : call,
  account,
  began_at: timeOf(beganUnix),
  ends_at: timeOf(endsUnix),
})
