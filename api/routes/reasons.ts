import { endReasons, explanations, reasonsPath } from '../../core/index.ts'
import { StaticFile } from '../answer/static-file.ts'
import type { Api } from '../base/fastify.ts'

/** The page uses the explorer's style sheet and nothing else: no script, nothing from elsewhere. */
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, mark => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] ?? '&quot;')

/** Where the sentence at the end of a trace links to: every reason, why it comes about, and what to do. */
export function reasonRoutes(app: Api): void {
  const sections = Object.entries(endReasons).map(([code, { label }]) => {
    const { why, advice } = explanations[code as keyof typeof endReasons]
    const help = advice === '' ? '' : `<p><strong>What to do.</strong> ${escaped(advice)}</p>`
    return `<section id="${code}"><h2>${code} ${escaped(label)}</h2><p>${escaped(why({}))}</p>${help}</section>`
  })
  const page = new StaticFile(
    Buffer.from(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Why calls end</title><link rel="stylesheet" href="/docs/explorer.css"></head><body><main><h1>Why calls end</h1>${sections.join('\n')}</main></body></html>`,
    ),
  )
  app.get(reasonsPath, {
    config: { access: 'open' },
    schema: { hide: true },
    handler: async (request, reply) => {
      reply.type('text/html; charset=utf-8').headers({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      return page.send(request, reply)
    },
  })
}
