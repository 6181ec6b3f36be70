import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Refusal } from './refusal.ts'

/**
 * 405 with `Allow` for every known path, and OPTIONS that names the methods. Register before the routes, call what it
 * returns after them.
 */
export function collectMethods(app: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<HTTPMethods>>()
  app.addHook('onRoute', route => {
    const url = route.url.length > 1 ? route.url.replace(/\/$/, '') : route.url
    const methods = methodsOf.get(url) ?? new Set()
    methodsOf.set(url, methods)
    for (const method of [route.method].flat()) methods.add(method as HTTPMethods)
  })
  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allow = [...methods, 'OPTIONS'].sort().join(', ')
      app.route({
        method: app.supportedMethods.filter(method => !methods.has(method)) as HTTPMethods[],
        url,
        schema: { hide: true },
        config: { access: 'open' },
        bodyLimit: 1,
        // Before the body is read: a refused method has no body worth reading.
        onRequest: async (request, reply) => {
          if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send()
          throw new Refusal(405, `${request.method} is not possible here; allowed: ${allow}.`, { headers: { allow } })
        },
        handler: async () => undefined,
      })
    }
  }
}
