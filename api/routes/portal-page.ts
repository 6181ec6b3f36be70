import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound, Refusal } from '../answer/refusal.ts'
import { StaticFile } from '../answer/static-file.ts'
import type { Api } from '../base/fastify.ts'
import { portalFiles } from '../portal/portal-bundle.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Nothing from elsewhere, nothing inline. Recordings and assets are played from memory, the phone runs in a frame. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self' blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'permissions-policy': 'microphone=(self), speaker-selection=(self), camera=(), geolocation=()',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** The portal: one page at `/`, and its parts below `/portal/`. */
export function portalPageRoutes(app: Api): void {
  const page = { config: { access: 'open' as const }, schema: { hide: true } }
  let served: Promise<ReadonlyMap<string, StaticFile>> | undefined
  const files = () => {
    served ??= portalFiles().then(
      all => new Map([...all].map(([name, { bytes, compressed }]) => [name, new StaticFile(bytes, compressed)])),
    )
    served.catch(() => {
      served = undefined
    })
    return served
  }
  const send = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const found = await files().catch((fault: unknown) => {
      throw new Refusal(503, `The portal is not built: run "npm run build" (${String(fault)}).`)
    })
    const file = found.get(name)
    if (file === undefined) throw notFound('There is nothing at this path.')
    return file.send(request, reply.type(types[name.split('.').pop() ?? ''] ?? 'text/plain').headers(headers))
  }
  app.get('/', {
    ...page,
    handler: (request, reply) => {
      // Programs that ask for JSON get what any unknown path gives.
      const { accept = '' } = request.headers
      if (/\bjson\b/.test(accept) && !accept.includes('text/html')) throw notFound('There is nothing at this path.')
      return send('index.html', request, reply)
    },
  })
  app.get('/portal/:file', {
    ...page,
    schema: { hide: true, params: Type.Object({ file: Type.String({ pattern: '^portal\\.css$|^[\\w-]+\\.js$' }) }) },
    handler: (request, reply) => send(request.params.file, request, reply),
  })
}
