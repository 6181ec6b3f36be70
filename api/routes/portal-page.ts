import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound, Refusal } from '../answer/refusal.ts'
import { StaticFile } from '../answer/static-file.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { portalFiles, type ServedFile } from '../portal/portal-bundle.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Nothing from elsewhere; inline only the script whose hash is given. Recordings and assets are played from memory, the phone runs in a frame. */
const headersOf = (hashes: readonly string[]) => ({
  'content-security-policy': `default-src 'none'; script-src ${["'self'", ...hashes].join(' ')}; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self' blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
})

/** CSP 3 §6.7.3.3: of each script that stands in the page. */
const scriptHashes = (html: string): readonly string[] =>
  [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )

/** Named after its content, as the bundler does. */
const hashed = /-[A-Z0-9]{8}\.(js|css)$/

interface Part {
  readonly file: StaticFile
  readonly headers: Readonly<Record<string, string>>
}

function partOf(name: string, { bytes, compressed }: ServedFile): Part {
  const type = types[name.split('.').pop() ?? ''] ?? 'text/plain'
  const isPage = name.endsWith('.html')
  const hashes = isPage ? scriptHashes(bytes.toString()) : []
  return {
    file: new StaticFile(bytes, compressed, { isImmutable: hashed.test(name), variesBy: isPage ? 'accept' : '' }),
    headers: { 'content-type': type, ...headersOf(hashes) },
  }
}

/** The portal: one page at `/`, and its parts below `/portal/`. */
export function portalPageRoutes(app: Api, { repositories }: SwitchDoor): void {
  const page = { config: { access: 'open' as const }, schema: { hide: true } }
  let served: Promise<ReadonlyMap<string, Part>> | undefined
  const files = () => {
    served ??= portalFiles().then(all => new Map([...all].map(([name, file]) => [name, partOf(name, file)])))
    served.catch(() => {
      served = undefined
    })
    return served
  }
  let areReadersStarted = false
  /** The database's readers of lists start with the first list: while the browser loads the portal, and not after that. */
  const startReaders = () => {
    if (areReadersStarted) return
    areReadersStarted = true
    // Who then asks for a list is told what is wrong.
    repositories.operatorChanges.list({ limit: 1, offset: 0 }).catch(() => {})
  }
  const send = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const found = await files().catch((fault: unknown) => {
      throw new Refusal(503, `The portal is not built: run "npm run build" (${String(fault)}).`)
    })
    const part = found.get(name)
    if (part === undefined) throw notFound('There is nothing at this path.')
    return part.file.send(request, reply.headers(part.headers))
  }
  app.get('/', {
    ...page,
    handler: (request, reply) => {
      // Programs that ask for JSON get what any unknown path gives. RFC 9110 §12.5.5: no cache mixes up the two.
      reply.header('vary', 'accept')
      const { accept = '' } = request.headers
      if (/\bjson\b/.test(accept) && !accept.includes('text/html')) throw notFound('There is nothing at this path.')
      startReaders()
      return send('index.html', request, reply)
    },
  })
  app.get('/portal/:file', {
    ...page,
    schema: { hide: true, params: Type.Object({ file: Type.String({ pattern: '^[\\w-]+\\.(js|css)$' }) }) },
    handler: (request, reply) => send(request.params.file, request, reply),
  })
}
