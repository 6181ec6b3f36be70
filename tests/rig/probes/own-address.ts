import { networkInterfaces } from 'node:os'

/**
 * This machine's address in its network. A browser's candidates leave loopback out, and a check of its that comes from here
 * must be answered from where it was sent to.
 */
export function ownAddress(): string {
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address, family, internal } of addresses ?? []) if (family === 'IPv4' && !internal) return address
  return '127.0.0.1'
}
