import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { Refusal } from '../answer/refusal.ts'
import type { Api } from '../base/fastify.ts'

/** RFC 3986 §3.2.2: a name, whose escapes are whole, an IPv4 address or an IPv6 address in brackets, and perhaps a port. */
const hostForm = /^(?:(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+|\[([0-9A-Fa-f:.]+)\])(?::(\d{0,5}))?$/
const largestPort = 65_535

function isHost(text: string): boolean {
  const parts = hostForm.exec(text)
  if (parts === null) return false
  const [, address6, port = ''] = parts
  return (address6 === undefined || isIPv6(address6)) && Number(port) <= largestPort
}

const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)

/** RFC 9112 §3.2: exactly one valid Host header. HTTP/1.0 may lack it. */
export function checkHost(request: IncomingMessage): void {
  const { httpVersion } = request
  const hosts = valuesOf(request, 'host')
  const [host] = hosts
  if (host === undefined && httpVersion === '1.0') return
  if (host === undefined || hosts.length > 1 || !isHost(host)) {
    throw new Refusal(400, 'The request must have one Host header, with a name or an address and perhaps a port.')
  }
}

/** RFC 9110 §5.3: which of two keys counts, a proxy and this server might see differently. */
function checkAuthorization(request: IncomingMessage): void {
  if (request.headers.authorization !== undefined && valuesOf(request, 'authorization').length > 1) {
    throw new Refusal(400, 'The request must have one Authorization header.')
  }
}

/** Checks of every request before any other work. */
export function checkForm(app: Api): void {
  app.addHook('onRequest', async ({ raw }) => {
    checkHost(raw)
    checkAuthorization(raw)
  })
}

/**
 * After the key: bodies are taken as they are. RFC 9110 §12.5.3: the answer says which codings would do. Node refuses a
 * Transfer-Encoding that does not end with chunked; one that names more than chunked gets 501 here (RFC 9112 §6.1).
 */
export function refuseCodings(app: Api): void {
  app.addHook('preParsing', async request => {
    const transfer = request.headers['transfer-encoding'] ?? 'chunked'
    if (transfer.trim().toLowerCase() !== 'chunked') {
      throw new Refusal(501, 'Of Transfer-Encoding only chunked is understood.')
    }
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (coding === '' || coding === 'identity') return
    throw new Refusal(415, 'Send the body as it is, without a Content-Encoding.', {
      headers: { 'accept-encoding': 'identity' },
    })
  })
}
