import { isIP } from 'node:net'
import type { HopName } from '../endpoint/services/call-command.ts'
import { defaultPort, type HopTransport } from '../network/flow.ts'

/** An address to try, in the order of RFC 3263. */
export interface ResolvedHop {
  readonly transport: HopTransport
  readonly address: string
  readonly port: number
}

/**
 * What is asked of DNS. Empty: there is none. Rejects: it is not known whether there is. `customer`: who named it
 * (`HopName`), for resolvers that keep customers apart.
 */
export interface Dns {
  naptr(
    name: string,
    customer?: string,
  ): Promise<readonly { order: number; preference: number; service: string; replacement: string }[]>
  srv(
    name: string,
    customer?: string,
  ): Promise<readonly { priority: number; weight: number; name: string; port: number }[]>
  /** `isWhole`: nothing may be missing, however long it takes. */
  addresses(
    name: string,
    options?: { readonly customer?: string | undefined; readonly isWhole?: boolean },
  ): Promise<readonly string[]>
}

const mostHops = 8

const none = <T>(asked: Promise<readonly T[]>): Promise<readonly T[]> => asked.catch(() => [])

const services: Readonly<Record<string, HopTransport>> = {
  'SIP+D2U': 'udp',
  'SIP+D2T': 'tcp',
  'SIPS+D2T': 'tls',
}
const srvPrefix: Readonly<Record<HopTransport, string>> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' }

/**
 * RFC 3263 §4: literal address; else with a port A/AAAA; else NAPTR for the transport, SRV for host and port, and
 * A/AAAA as the last resort. An empty list means: not to be reached.
 */
export async function resolveHop(hop: HopName, dns: Dns, random: () => number): Promise<readonly ResolvedHop[]> {
  const host = hop.host.replace(/^\[|\]$/g, '')
  const { customer } = hop
  if (isIP(host) !== 0) {
    const transport = hop.transport ?? 'udp'
    return [{ transport, address: host, port: hop.port ?? defaultPort(transport) }]
  }
  // A name without a dot is this network's own (`localhost`), and no domain that services are published for.
  if (hop.port === undefined && !host.includes('.')) {
    const transport = hop.transport ?? 'udp'
    return byAddress(host, { transport, port: defaultPort(transport), customer }, dns)
  }
  if (hop.port !== undefined)
    return byAddress(host, { transport: hop.transport ?? 'udp', port: hop.port, customer }, dns)
  const wanted =
    hop.transport === undefined ? await transportsOf(host, dns, customer) : [asService(hop.transport, host)]
  const hops: ResolvedHop[] = []
  for (const { transport, name } of wanted) {
    for (const record of inSrvOrder(await none(dns.srv(name, customer)), random)) {
      if (record.name === '' || record.name === '.') continue
      hops.push(...(await byAddress(record.name, { transport, port: record.port, customer }, dns)))
      if (hops.length >= mostHops) return hops.slice(0, mostHops)
    }
  }
  if (hops.length > 0) return hops
  const transport = hop.transport ?? 'udp'
  return byAddress(host, { transport, port: defaultPort(transport), customer }, dns)
}

/**
 * Every address that a name can lead to, whatever transport is asked for: its own, and those of its services. `hasFailed`:
 * there may be more.
 */
export async function everyHop(
  host: string,
  dns: Dns,
): Promise<{ readonly hops: readonly ResolvedHop[]; readonly hasFailed: boolean }> {
  let hasFailed = false
  const asked = async <T>(answer: Promise<readonly T[]>): Promise<readonly T[]> =>
    answer.catch(() => {
      hasFailed = true
      return []
    })
  const own = asked(dns.addresses(host, { isWhole: true })).then(found =>
    found.map(address => ({ transport: 'udp' as const, address, port: defaultPort('udp') })),
  )
  const replacements = host.includes('.') ? (await asked(dns.naptr(host))).map(record => record.replacement) : []
  const names = host.includes('.') ? Object.values(srvPrefix).map(prefix => `${prefix}.${host}`) : []
  const services = [...new Set([...names, ...replacements.filter(name => name !== '')])].map(async name => {
    const records = (await asked(dns.srv(name))).filter(record => record.name !== '' && record.name !== '.')
    const hops = records.map(async ({ name: target, port }) => {
      const addresses = isIP(target) !== 0 ? [target] : await asked(dns.addresses(target, { isWhole: true }))
      return addresses.map(address => ({ transport: 'udp' as const, address, port }))
    })
    return (await Promise.all(hops)).flat()
  })
  const found = await Promise.all([own, ...services])
  return { hops: found.flat(), hasFailed }
}

const asService = (transport: ResolvedHop['transport'], host: string) => ({
  transport,
  name: `${srvPrefix[transport]}.${host}`,
})

async function transportsOf(host: string, dns: Dns, customer: string | undefined) {
  const records = [...(await none(dns.naptr(host, customer)))].sort(
    (a, b) => a.order - b.order || a.preference - b.preference,
  )
  const named = records.flatMap(record => {
    const transport = services[record.service.toUpperCase()]
    return transport === undefined || record.replacement === '' ? [] : [{ transport, name: record.replacement }]
  })
  return named.length > 0 ? named : [asService('udp', host), asService('tcp', host)]
}

async function byAddress(
  host: string,
  { transport, port, customer }: Omit<ResolvedHop, 'address'> & { readonly customer: string | undefined },
  dns: Dns,
): Promise<readonly ResolvedHop[]> {
  const addresses = isIP(host) !== 0 ? [host] : await none(dns.addresses(host, { customer }))
  return addresses.slice(0, mostHops).map(address => ({ transport, address, port }))
}

/** RFC 2782: by priority; within one, drawn by weight. */
function inSrvOrder<T extends { readonly priority: number; readonly weight: number }>(
  records: readonly T[],
  random: () => number,
): T[] {
  const left = [...records].sort((a, b) => a.priority - b.priority || a.weight - b.weight)
  const ordered: T[] = []
  while (left.length > 0) {
    const priority = left[0]!.priority
    const same = left.filter(record => record.priority === priority)
    let mark = random() * (same.reduce((sum, record) => sum + record.weight, 0) + 1)
    const chosen = same.find(record => {
      mark -= record.weight
      return mark <= 0
    })
    const next = chosen ?? same[same.length - 1]!
    ordered.push(next)
    left.splice(left.indexOf(next), 1)
  }
  return ordered
}
