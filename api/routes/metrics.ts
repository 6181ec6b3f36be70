import { Type } from '@sinclair/typebox'
import { membership } from '../access/networks.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { openMetrics } from '../metrics/registry.ts'
import { errors } from '../schema/error.ts'

export function metricsRoutes(app: Api, door: SwitchDoor, streams: () => number): void {
  const metrics = openMetrics(door, streams)
  app.addHook('onClose', async () => metrics.close())

  app.get('/metrics', {
    config: { access: 'operator', isKeyless: membership(door.settings.metricsHosts) },
    schema: {
      tags: ['operator'],
      summary: "Figures in Prometheus' text format",
      description: 'With the operator key, or without one from the addresses that the setting metrics_hosts lists.',
      response: {
        200: { description: 'The figures.', content: { 'text/plain': { schema: Type.String() } } },
        ...errors(),
      },
    },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  })
}
