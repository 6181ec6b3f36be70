import { X509Certificate } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { lookup, resolveSrv } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { connect, createServer, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { identityFault, openDatabase, type Settings, StoreError } from '../../core/index.ts'
import { type Finding, fault, ok, warning } from './doctor-finding.ts'
import { askOptions } from './doctor-options.ts'

const dayMs = 86_400_000
const fewDays = 14
const waitMs = 3000
/** Two ports a leg, two legs a call: 100 calls. */
const fewPorts = 400

export function certificate({ tls, publicUrl }: Settings, now: number): Finding {
  const name = 'certificate'
  const mend = 'renew it (certbot renew) into the files of SAUTI_TLS_CERT and SAUTI_TLS_KEY; no restart is needed'
  if (tls === undefined) {
    if (!publicUrl.startsWith('https:')) return ok(name, 'none is set, and no listener needs one')
    return ok(name, 'none is set: a proxy in front must have it')
  }
  try {
    const identity = { cert: readFileSync(tls.certFile, 'utf8'), key: readFileSync(tls.keyFile, 'utf8') }
    const unusable = identityFault(identity, tls)
    if (unusable !== undefined)
      return fault(name, unusable, 'SAUTI_TLS_CERT and SAUTI_TLS_KEY name PEM files made together')
    const certificate = new X509Certificate(identity.cert)
    const { validToDate } = certificate
    const days = Math.floor((validToDate.getTime() - now) / dayMs)
    const says = `${tls.certFile}: ${days} days left (until ${validToDate.toISOString().slice(0, 10)})`
    if (days < 0) return fault(name, says, mend)
    if (days < fewDays) return warning(name, says, mend)
    const { protocol, hostname } = new URL(publicUrl)
    if (protocol !== 'https:' || isFor(certificate, hostname)) return ok(name, says)
    const names = certificate.subjectAltName ?? certificate.subject
    return warning(
      name,
      `${says}; it is not for ${hostname}, as the public URL says, but for ${names.replaceAll('\n', ', ')}`,
      `SAUTI_PUBLIC_URL names a host of the certificate, now it is ${publicUrl}`,
    )
  } catch (cause) {
    return fault(
      name,
      (cause as Error).message,
      'SAUTI_TLS_CERT names a PEM file with the certificate and its chain, SAUTI_TLS_KEY one with its key',
    )
  }
}

/** `hostname` as a URL has it: brackets around IPv6. */
function isFor(certificate: X509Certificate, hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return (isIP(address) === 0 ? certificate.checkHost(address) : certificate.checkIP(address)) !== undefined
}

export function mediaPorts({ media, dataFolder }: Settings, pid: number | undefined): Finding {
  const name = 'media ports'
  const [first, last] = media.ports
  const size = last - first + 1
  const range = `${first}-${last}`
  const used = usedUdpPorts().filter(port => port >= first && port <= last).length
  const says = `UDP ${range}: ${size} ports, room for ${Math.floor(size / 4)} calls of two legs; ${used} in use`
  if (size < fewPorts) return warning(name, says, 'a larger range: SAUTI_MEDIA_PORTS=10000-20000')
  if (pid === undefined && used > 0)
    return warning(name, `${says}, and no switch runs on ${dataFolder}`, 'ss -ulnp shows by whom')
  const [low, high] = numbersOf('/proc/sys/net/ipv4/ip_local_port_range')
  const isReserved = textOf('/proc/sys/net/ipv4/ip_local_reserved_ports').includes(range)
  if (low !== undefined && high !== undefined && first <= high && low <= last && !isReserved)
    return warning(
      name,
      `${says}; the system gives ports from ${low} to ${high} to other programs too`,
      `sysctl -w net.ipv4.ip_local_reserved_ports=${range}`,
    )
  return ok(name, says)
}

/** Each listener: a running switch answers there, or the port is free for one. */
export function listeners({ http, sip }: Settings, pid: number | undefined): Promise<Finding[]> {
  return Promise.all([
    ...http.map(({ scheme, address, port }) => listener(`HTTP ${scheme}:`, { address, port, isUdp: false }, pid)),
    ...sip.listeners.map(({ transport, address, port }) =>
      listener(`SIP ${transport}:`, { address, port, isUdp: transport === 'udp' }, pid),
    ),
  ])
}

interface Place {
  readonly address: string
  readonly port: number
  readonly isUdp: boolean
}

async function listener(kind: string, { address, port, isUdp }: Place, pid: number | undefined): Promise<Finding> {
  const name = `${kind}${address.includes(':') ? `[${address}]` : address}:${port}`
  if (port === 0) return ok(name, 'the system chooses the port')
  if (pid === undefined) {
    const refusal = await (isUdp ? bindUdp(address, port) : bindTcp(address, port))
    if (refusal === undefined) return ok(name, 'the port is free')
    return fault(name, `cannot be listened at: ${refusal}`, `ss -lnp 'sport = :${port}' shows by whom it is taken`)
  }
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  if (isUdp) {
    const answer = await askOptions(host, port)
    if (answer !== undefined) return ok(name, `OPTIONS to ${host} is answered: ${answer}`)
    if (usedUdpPorts().includes(port))
      return warning(name, 'something listens there, but answers no OPTIONS', `ss -lunp 'sport = :${port}' shows what`)
  } else if (await connects(host, port)) return ok(name, 'the switch takes connections')
  return fault(name, 'nothing listens there, though a switch runs', 'look for "ready" in its log: journalctl -u sauti')
}

export function externalAddress({ externalAddresses: set }: Settings): Finding {
  const name = 'external address'
  const own = Object.values(networkInterfaces()).flatMap(list =>
    (list ?? []).filter(each => !each.internal).map(each => each.address),
  )
  const foreign = set.filter(address => !own.includes(address))
  if (set.length === 0) return ok(name, `detected by the interface: ${own.join(', ') || 'loopback alone'}`)
  if (foreign.length === 0) return ok(name, `${set.join(', ')}: this machine's own`)
  return warning(
    name,
    `${foreign.join(', ')} is not on an interface of this machine: behind NAT it must forward SIP and the media ports unchanged`,
    'forward them, then call from outside; without NAT leave SAUTI_EXTERNAL_ADDRESS out',
  )
}

/** The host of each trunk has an address. */
export async function trunkNames({ dataFolder }: Settings): Promise<Finding[]> {
  const name = 'DNS of the trunks'
  let trunks: readonly { readonly name: string; readonly host: string }[]
  try {
    const database = openDatabase(dataFolder, { readOnly: true })
    try {
      trunks = database.all(database.sql.selectFrom('trunks').select(['name', 'host']))
    } finally {
      database.close()
    }
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause
    if (cause.code === 'store.not-ready') return [ok(name, 'no trunks yet: there is no database of this version')]
    return [fault(name, cause.message, 'sauti restore DIR')]
  }
  if (trunks.length === 0) return [ok(name, 'there is no trunk yet')]
  return Promise.all(trunks.map(trunk => trunkName(trunk)))
}

async function trunkName({ name: trunk, host }: { readonly name: string; readonly host: string }): Promise<Finding> {
  const name = `DNS of ${trunk}`
  if (host === '') return ok(name, 'it only calls in')
  if (isIP(host) !== 0) return ok(name, `${host} is an address`)
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error('no answer within 3 s')), waitMs).unref(),
  )
  try {
    const found = await Promise.race([addressesOf(host), late])
    return ok(name, `${host} is ${found.join(', ')}`)
  } catch (cause) {
    return fault(
      name,
      `${host}: ${(cause as Error).message}`,
      `dig ${host}; other servers: SAUTI_DNS; another host: sauti trunk set UUID --host HOST`,
    )
  }
}

/** Its addresses; of a name without any, the servers that its SRV records name (RFC 3263 §4.2). */
async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (cause) {
    const services = ['_sip._udp', '_sip._tcp', '_sips._tcp'].map(service => resolveSrv(`${service}.${host}`))
    const found = (await Promise.allSettled(services)).flatMap(each => (each.status === 'fulfilled' ? each.value : []))
    if (found.length === 0) throw cause
    return [...new Set(found.map(({ name, port }) => `${name}:${port}`))]
  }
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
const numbersOf = (file: string): readonly number[] => (textOf(file).match(/\d+/g) ?? []).map(Number)

const usedUdpPorts = (): readonly number[] =>
  ['/proc/net/udp', '/proc/net/udp6'].flatMap(file =>
    textOf(file)
      .split('\n')
      .slice(1)
      .flatMap(line => {
        const port = line.trim().split(/\s+/)[1]?.split(':')[1]
        return port === undefined ? [] : Number.parseInt(port, 16)
      }),
  )

function bindUdp(address: string, port: number): Promise<string | undefined> {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  return new Promise(resolve => {
    socket.once('error', cause => resolve(cause.message))
    socket.bind({ address, port, exclusive: true }, () => socket.close(() => resolve(undefined)))
  })
}

function bindTcp(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', cause => resolve(cause.message))
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
}

function connects(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: waitMs })
  return new Promise(resolve => {
    const end = (answers: boolean) => {
      socket.destroy()
      resolve(answers)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
}
