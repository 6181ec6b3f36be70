import { readFileSync } from 'node:fs'
import { StaticFile } from '../answer/static-file.ts'
import type { Api } from '../base/fastify.ts'

const files = [
  { url: '/docs/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/docs/explorer.css', file: 'explorer.css', type: 'text/css; charset=utf-8' },
  { url: '/docs/explorer.js', file: 'explorer.js', type: 'text/javascript; charset=utf-8' },
] as const

/** No source outside of this server and no inline script: an API key typed here goes only to this server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The OpenAPI document, and a page of our own to read it and to try it. */
export function explorerRoutes(app: Api): void {
  // Written once: it is large, and the same for as long as the program runs.
  let description: StaticFile | undefined
  app.get('/openapi.json', {
    config: { access: 'open' },
    schema: { hide: true },
    handler: async (request, reply) => {
      description ??= new StaticFile(Buffer.from(JSON.stringify(await app.openApi())))
      return description.send(request, reply.type('application/json; charset=utf-8'))
    },
  })
  for (const { url, file, type } of files) {
    const page = new StaticFile(readFileSync(new URL(`../explorer/${file}`, import.meta.url)))
    app.get(url, {
      config: { access: 'open' },
      schema: { hide: true },
      handler: async (request, reply) => {
        reply.type(type).headers({
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        })
        return page.send(request, reply)
      },
    })
  }
}
