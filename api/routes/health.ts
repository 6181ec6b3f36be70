import { Type } from '@sinclair/typebox'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { openErrors } from '../schema/error.ts'

export function healthRoutes(app: Api, door: SwitchDoor): void {
  app.get('/health/', {
    config: { access: 'open' },
    schema: {
      tags: ['health'],
      summary: 'Is the service healthy?',
      description: 'Checks the database by a write, the SIP listeners and the media threads; degraded while draining.',
      response: {
        200: Type.Object({ status: Type.Literal('ok') }, { description: 'It is.' }),
        ...openErrors(),
        503: Type.Object({ status: Type.Literal('degraded') }, { description: 'It is not, or it drains.' }),
      },
    },
    handler: async (_request, reply) => {
      if (await door.health().catch(() => false)) return reply.send({ status: 'ok' })
      return reply.code(503).send({ status: 'degraded' })
    },
  })
}
