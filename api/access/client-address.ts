import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { membership } from './networks.ts'

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * The caller's address of a raw request, as Fastify's `trustProxy` finds it for routes: the nearest address that is no
 * trusted proxy's, from the connection back through X-Forwarded-For. What is no address ends at the proxy that sent it.
 */
export function clientAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string | undefined {
  const isTrusted = membership(trustedProxies)
  return ({ socket, headers }) => {
    let address = socket.remoteAddress
    if (address === undefined) return undefined
    const header = headers['x-forwarded-for']
    const forwarded = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').reverse()
    for (const hop of forwarded) {
      const next = hop.trim()
      if (!isTrusted(address) || isIP(next) === 0) break
      address = next
    }
    return plain(address)
  }
}
