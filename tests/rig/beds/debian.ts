import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What a Debian package gives to a test: a program of this name in PATH, or a file. */
interface Wanted {
  readonly package: string
  readonly file?: string
}

const sounds = (language: string, person: string): Wanted => ({
  package: `asterisk-core-sounds-${language}-gsm`,
  file: `/usr/share/asterisk/sounds/${person}/agent-alreadyon.gsm`,
})

/** The real peers of the tests, and the Debian package of each. `npm test` installs them, once, before the first test. */
export const peers = {
  sipp: { package: 'sip-tester' },
  baresip: { package: 'baresip' },
  'espeak-ng': { package: 'espeak-ng' },
  sox: { package: 'sox' },
  ffmpeg: { package: 'ffmpeg' },
  opusinfo: { package: 'opus-tools' },
  chromium: { package: 'chromium' },
  python3: { package: 'python3' },
  curl: { package: 'curl' },
  openssl: { package: 'openssl' },
  'gnutls-cli': { package: 'gnutls-bin' },
  certutil: { package: 'libnss3-tools' },
  cc: { package: 'gcc' },
  'mbedtls-headers': { package: 'libmbedtls-dev', file: '/usr/include/mbedtls/ssl.h' },
  'nss-headers': { package: 'libnss3-dev', file: '/usr/include/nss/ssl.h' },
  turnserver: { package: 'coturn' },
  tcpdump: { package: 'tcpdump' },
  tshark: { package: 'tshark' },
  ip: { package: 'iproute2' },
  'sounds-en': sounds('en', 'en_US_f_Allison'),
  'sounds-es': sounds('es', 'es_MX_f_Allison'),
  'sounds-fr': sounds('fr', 'fr_CA_f_June'),
  'sounds-it': sounds('it', 'it_IT_m_Carlo'),
  'sounds-ru': sounds('ru', 'ru_RU_f_IvrvoiceRU'),
} as const satisfies Readonly<Record<string, Wanted>>
export type Peer = keyof typeof peers

export const isRoot = (): boolean => process.getuid?.() === 0

export function programPath(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  return undefined
}

function isPresent(peer: Peer): boolean {
  const { file }: Wanted = peers[peer]
  if (file === undefined) return programPath(peer) !== undefined
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** The packages of those that are missing. */
export const packagesFor = (wanted: Iterable<Peer>): string[] => [
  ...new Set([...wanted].filter(peer => !isPresent(peer)).map(peer => peers[peer].package)),
]

/**
 * Throws naming the packages that are missing. The names stand literally in the call: `npm test` reads them there
 * (scripts/test/peers.ts) and installs the packages, or leaves the file out.
 */
export function requirePeers(...wanted: readonly Peer[]): void {
  const missing = packagesFor(wanted)
  if (missing.length > 0)
    throw new Error(`Debian packages are missing: ${missing.join(' ')} (apt-get install ${missing.join(' ')})`)
}

const [netAdmin, sysAdmin] = [1n << 12n, 1n << 21n]

/** Whether networks can be made here: as root, and not in a container without these capabilities. */
export function mayMakeNetworks(): boolean {
  if (process.platform !== 'linux') return false
  const mask = /^CapEff:\s+([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
  const needed = netAdmin | sysAdmin
  return (BigInt(`0x${mask}`) & needed) === needed
}

/** For what makes networks of its own. `npm test` reads this call too. */
export function requireNetworks(): void {
  if (!mayMakeNetworks())
    throw new Error('this test makes networks of its own: it needs root (CAP_NET_ADMIN, CAP_SYS_ADMIN)')
}
