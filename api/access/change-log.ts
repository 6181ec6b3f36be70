import type { FastifyRequest } from 'fastify'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { operatorOf } from './guard.ts'

/** A longer text is cut: a rate deck has megabytes. */
const maxText = 16 * 1024
const secrets = new Set(['key', 'password', 'url', 'form_token'])
const changes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Notes every change that an operator makes: who, what, how it was and how it is. What it was is what GET of the same path
 * says before, so that no route has to remember to note anything.
 */
export function noteChanges(app: Api, door: SwitchDoor): void {
  const before = new WeakMap<FastifyRequest, string>()
  const isNoted = (request: FastifyRequest): boolean =>
    request.routeOptions.config.access === 'operator' && changes.has(request.method)

  app.addHook('preHandler', async request => {
    if (!isNoted(request)) return
    const path = request.url.split('?')[0] ?? ''
    if (!app.hasRoute({ method: 'GET', url: request.routeOptions.url ?? '' })) return
    // A list of all is not what one of them was.
    if (request.method === 'POST') return
    const { authorization, cookie, host } = request.headers
    const form = request.headers['x-sauti-csrf']
    const found = await app.inject({
      method: 'GET',
      url: path,
      remoteAddress: request.ip,
      headers: {
        ...(host === undefined ? {} : { host }),
        ...(authorization === undefined ? {} : { authorization }),
        ...(cookie === undefined ? {} : { cookie }),
        ...(typeof form === 'string' ? { 'x-sauti-csrf': form } : {}),
      },
    })
    if (found.statusCode === 200) before.set(request, shown(found.body))
  })

  // Before the answer: who has it finds the change in the log.
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isNoted(request) || reply.statusCode >= 300) return payload
    const change = {
      actor: operatorOf(request),
      address: request.ip,
      action: request.method,
      path: (request.url.split('?')[0] ?? '').slice(0, 300),
      status: reply.statusCode,
      before: before.get(request) ?? null,
      after: typeof payload === 'string' ? shown(payload) : null,
    }
    await door.repositories.operatorChanges.note(change, Date.now()).catch((fault: unknown) => {
      door.log.error({ fault: String(fault), path: change.path }, 'a change by the operator could not be noted')
    })
    return payload
  })
}

/** JSON without secrets, cut to what a person reads. */
function shown(text: string): string {
  if (text.length > 8 * maxText) return JSON.stringify({ bytes: text.length })
  const safe = JSON.stringify(JSON.parse(text), (name, value: unknown) =>
    secrets.has(name) && typeof value === 'string' ? '…' : value,
  )
  return safe.length <= maxText ? safe : JSON.stringify({ beginning: safe.slice(0, maxText), bytes: safe.length })
}
