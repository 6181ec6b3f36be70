import { isIP } from 'node:net'

/** Addresses by name, names in lower case; as hosts(5) says, an address may have several lines. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** Lines of a hosts file beyond this are left out: it is no database. */
const mostLines = 100_000

const wordsOf = (line: string, comment: RegExp): string[] =>
  line
    .replace(comment, '')
    .trim()
    .split(/\s+/)
    .filter(word => word !== '')

/** hosts(5). */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n', mostLines)) {
    const [address, ...names] = wordsOf(line, /#.*$/)
    const bare = address?.replace(/%.*$/, '') ?? ''
    if (address === undefined || isIP(bare) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = hosts.get(key)
      if (known === undefined) hosts.set(key, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return hosts
}

/** What resolv.conf(5) says about which names are tried. */
export interface SearchRules {
  readonly servers: readonly string[]
  readonly domains: readonly string[]
  /** A name with this many dots is tried unchanged first. */
  readonly ndots: number
}

/** As in the C library. */
const mostDomains = 6
const mostNdots = 15

/** resolv.conf(5): of several `search` or `domain` lines the last counts. */
export function parseResolvConf(text: string): SearchRules {
  const servers: string[] = []
  let domains: readonly string[] = []
  let ndots = 1
  for (const line of text.split('\n')) {
    const [key, ...values] = wordsOf(line, /[#;].*$/)
    if (key === 'nameserver' && values[0] !== undefined) servers.push(values[0])
    else if (key === 'search' || key === 'domain')
      domains = values.filter(domain => domain !== '.').slice(0, mostDomains)
    else if (key === 'options')
      for (const option of values) {
        const dots = /^ndots:(\d+)$/.exec(option)?.[1]
        if (dots !== undefined) ndots = Math.min(Number(dots), mostNdots)
      }
  }
  return { servers, domains: domains.map(domain => domain.replace(/\.$/, '')), ndots }
}

/** The names to ask DNS for, in turn. A dot at the end says that the name is whole. */
export function candidatesOf(
  name: string,
  { domains, ndots }: Pick<SearchRules, 'domains' | 'ndots'>,
): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const searched = domains.map(domain => `${name}.${domain}`)
  const dots = name.split('.').length - 1
  return dots >= ndots ? [name, ...searched] : [...searched, name]
}
