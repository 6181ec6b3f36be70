import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ipv6Addresses } from '../address/address.ts'
import type { DatagramNetwork } from '../net/network.ts'
import { DgramNetwork } from './dgram-network.ts'
import { loadLibC } from './libc.ts'
import { LinuxNetwork } from './linux-network.ts'
import { OpenDescriptors } from './open-descriptors.ts'

export interface NetworkOptions {
  /** IPv4 address that sockets of IPv4 are bound to. Default `0.0.0.0`. */
  readonly address?: string
  /** `mmsg`: batched calls of Linux; `dgram`: node's sockets; `auto`: the first that this machine has. Default `auto`. */
  readonly sockets?: 'auto' | 'mmsg' | 'dgram'
  /** Where a thread's open descriptors are kept in mind, for when it dies. */
  readonly descriptors?: SharedArrayBuffer
}

/** Throws when `mmsg` is asked for and not to be had. */
export const openNetwork = (options: NetworkOptions = {}): DatagramNetwork => {
  const { address = '0.0.0.0', sockets = 'auto' } = options
  ipv6Addresses.seed(randomBytes(4).readInt32LE())
  if (sockets === 'dgram') return new DgramNetwork(address)
  const native = loadLibC()
  const { descriptors } = options
  if (native !== undefined)
    return new LinuxNetwork(
      native,
      address,
      descriptors === undefined ? undefined : new OpenDescriptors(descriptors),
      descriptorCeiling(),
    )
  if (sockets === 'mmsg') throw new Error('batched sockets need 64-bit Linux and koffi')
  return new DgramNetwork(address)
}

/** Of the files that this process may open, a part that media leaves to recordings, prompts, connections and the database. */
const leftToOthers = 1 / 4

/** Where it is not known there is none. */
function descriptorCeiling(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Math.floor(Number(soft) * (1 - leftToOthers))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
