import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { KnownPaths } from '../answer/methods.ts'
import type { Api } from '../base/fastify.ts'

/**
 * HEAD is answered by the route of GET, without the content (RFC 9110 §9.3.2). No route is made for it: they would be a
 * third of all routes, and a twentieth of a start. Register before any other hook.
 */
export function answerHead(app: Api, paths: KnownPaths): void {
  const routed = new WeakSet<IncomingMessage>()

  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    if (routed.has(raw)) {
      // The route is found: what follows knows the method again.
      raw.method = 'HEAD'
      return
    }
    if (!request.is404 || raw.method !== 'HEAD') return
    // A GET that changes something is for no HEAD. What is at no path is refused as for GET.
    if (paths.find(raw.url ?? '')?.methods.has('HEAD') === false) return
    routed.add(raw)
    reply.hijack()
    raw.method = 'GET'
    app.routing(raw, reply.raw)
  })

  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!routed.has(raw)) return payload
    if (payload instanceof Readable) payload.destroy()
    else if (typeof payload === 'string' || Buffer.isBuffer(payload))
      reply.header('content-length', Buffer.byteLength(payload))
    return null
  })
}
