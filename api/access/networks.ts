import { BlockList, isIP } from 'node:net'

/** Whether an address is in one of the networks: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`. */
export function membership(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return presented => {
    const address = presented.replace(/^::ffff:(?=[\d.]+$)/i, '').split('%', 1)[0]!
    return isIP(address) !== 0 && list.check(address, familyOf(address))
  }
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
