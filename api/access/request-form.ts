import type { IncomingMessage } from 'node:http'
import { Refusal } from '../answer/refusal.ts'
import type { Api } from '../base/fastify.ts'

/** RFC 3986 §3.2.2: a name, an IPv4 address or an IP literal, and perhaps a port. */
const hostForm = /^([A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?$/

/** RFC 9112 §3.2: exactly one valid Host header. HTTP/1.0 may lack it. */
export function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
  const [host] = hosts
  if (host === undefined && httpVersion === '1.0') return
  if (host === undefined || hosts.length > 1 || !hostForm.test(host)) {
    throw new Refusal(400, 'The request must have one Host header, with a name or an address and perhaps a port.')
  }
}

/** Checks of every request before any other work. */
export function checkForm(app: Api): void {
  app.addHook('onRequest', async request => checkHost(request.raw))
}

/** After the key: bodies are taken as they are. RFC 9110 §12.5.3: the answer says which codings would do. */
export function refuseCodings(app: Api): void {
  app.addHook('preParsing', async request => {
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (coding === '' || coding === 'identity') return
    throw new Refusal(415, 'Send the body as it is, without a Content-Encoding.', {
      headers: { 'accept-encoding': 'identity' },
    })
  })
}
