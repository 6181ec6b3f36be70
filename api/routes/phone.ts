import { readFileSync } from 'node:fs'
import { Refusal } from '../answer/refusal.ts'
import { StaticFile } from '../answer/static-file.ts'
import type { Api } from '../base/fastify.ts'
import { sdkCode } from '../phone/sdk-bundle.ts'

const script = 'text/javascript; charset=utf-8'

const files = [
  { url: '/phone/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/phone/phone.css', file: 'phone.css', type: 'text/css; charset=utf-8' },
  ...[
    'call-card',
    'device-lists',
    'face',
    'incoming-card',
    'keypad',
    'kiswahili',
    'meter',
    'numbers',
    'phone',
    'recent-calls',
    'shortcuts',
    'texts',
  ].map(name => ({
    url: `/phone/${name}.js`,
    file: `${name}.js`,
    type: script,
  })),
] as const

/**
 * No source outside of this switch and no inline script: a token in this page goes only to this switch. The portal
 * frames it.
 */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** A small softphone on the browser SDK, and the SDK itself as an ES module. */
export function phoneRoutes(app: Api): void {
  const page = { config: { access: 'open' as const }, schema: { hide: true } }
  for (const { url, file, type } of files) {
    const served = new StaticFile(readFileSync(new URL(`../phone/${file}`, import.meta.url)))
    app.get(url, {
      ...page,
      handler: async (request, reply) => served.send(request, reply.type(type).headers(headers)),
    })
  }
  let sdk: { readonly code: string; readonly file: StaticFile } | undefined
  app.get('/phone/sauti-phone.js', {
    ...page,
    handler: async (request, reply) => {
      const code = await sdkCode().catch((fault: unknown) => {
        throw new Refusal(503, `The SDK is not built: run "npm run build:sdk" (${String(fault)}).`)
      })
      sdk = sdk?.code === code ? sdk : { code, file: new StaticFile(Buffer.from(code)) }
      return sdk.file.send(request, reply.type(script).headers(headers))
    },
  })
}
