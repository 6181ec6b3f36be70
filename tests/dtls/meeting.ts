import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { DtlsAssociation } from '../../rtp/dtls/association.ts'
import { type Fingerprint, fingerprintOf, selfSigned } from '../../rtp/dtls/certificate.ts'
import type { SrtpProfile } from '../../rtp/srtp/profile.ts'
import { freePort } from '../rig/probes/ports.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { sleep } from '../rig/probes/wait.ts'
import type { Certificates } from './certificates.ts'
import type { Library, PeerOptions, Programs } from './programs.ts'

/** What a network does to datagrams, in both directions. */
export interface Network {
  readonly lossRatio?: number
  readonly repeatRatio?: number
  /** Of datagrams that are overtaken by the next one. */
  readonly reorderRatio?: number
  readonly seed?: number
}

export interface Meeting {
  readonly library: Library
  /** The program's. */
  readonly role: 'client' | 'server'
  readonly peer?: PeerOptions
  readonly network?: Network
  /** Ours; default: both. */
  readonly profiles?: readonly SrtpProfile[]
  /** SDP named another certificate. */
  readonly wrongFingerprint?: boolean
  /** We ask for a cookie before anything else. */
  readonly asksCookie?: boolean
  /** What follows the handshake. */
  readonly afterwards?: 'we close' | 'it closes' | 'wait'
  /** How long a handshake may take. */
  readonly patienceMs?: number
}

export interface Outcome {
  readonly state: 'connected' | 'refused' | 'nothing'
  /** Why we refused. */
  readonly detail: string
  /** Both ends derive the same keys for media. Undefined where the program does not print them. */
  readonly sameKeys: boolean | undefined
  readonly profile: SrtpProfile | undefined
  readonly output: string
  /** After the handshake. */
  readonly isClosed: boolean
  readonly milliseconds: number
}

const own = selfSigned(Date.now(), randomBytes(8))
const both: readonly SrtpProfile[] = ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM']
const usualPatienceMs = 22_000
/** A refusal stands when the peer has not said anything better in this time. */
const refusalMs = 700
/** What follows a handshake. */
const afterwardsMs = 2500

/** One handshake of ours with a program on loopback. */
export async function meet(programs: Programs, certificates: Certificates, meeting: Meeting): Promise<Outcome> {
  const { library, role, peer = {}, profiles = both, patienceMs = usualPatienceMs } = meeting
  const ports = { ours: await freePort(), its: await freePort() }
  const socket = await bound(ports.ours)
  const started = performance.now()
  const now = () => performance.now() - started
  const kind = peer.certificate === undefined || peer.certificate === 'none' ? 'P-256' : peer.certificate
  const { der } = certificates.of(meeting.wrongFingerprint ? (kind === 'P-384' ? 'P-256' : 'P-384') : kind)
  const fingerprints: Fingerprint[] = [{ algorithm: 'sha-256', value: fingerprintOf(der, 'sha-256') ?? '' }]
  // A client's port is not known before it speaks.
  let itsPort = role === 'server' || library === 'mbedTLS' || library === 'NSS' ? ports.its : 0
  const outwards = impaired(meeting.network, datagram => {
    if (itsPort !== 0) socket.send(datagram, itsPort, '127.0.0.1', () => {})
  })
  const association = new DtlsAssociation(
    {
      role: role === 'client' ? 'server' : 'client',
      certificate: own,
      fingerprints,
      profiles,
      randomBytes,
      send: datagram => outwards(datagram.slice()),
      demandsCookie: () => meeting.asksCookie === true,
    },
    now(),
  )
  // Goodbye may follow the handshake before the next look.
  let lastKeys = association.keys
  const inwards = impaired({ ...meeting.network, seed: (meeting.network?.seed ?? 0) + 1 }, datagram => {
    association.receive(datagram, datagram.length, now())
    lastKeys = association.keys ?? lastKeys
  })
  socket.on('message', (datagram, from) => {
    itsPort = from.port
    inwards(datagram)
  })
  const printsKeys = !(library === 'GnuTLS' && role === 'server')
  const { program, args, inputWhenConnected } = programs.command(library, role, ports, peer)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  child.stdin.on('error', () => {})
  let hasEnded = false
  // 'close', not 'exit': by then all that it printed has been read.
  child.once('close', () => (hasEnded = true))
  try {
    await sleep(role === 'server' ? 60 : 0)
    association.start(now())
    let refusedAt = Infinity
    let endedAt = Infinity
    let detail = ''
    while (now() < patienceMs) {
      association.tick(now())
      if (association.state !== 'handshaking' && (!printsKeys || materialIn(output) !== undefined)) break
      if (association.state === 'failed') break
      if (hasEnded && endedAt === Infinity) endedAt = now()
      if (association.state === 'handshaking' && !association.detail.startsWith('nothing')) {
        if (detail !== association.detail) refusedAt = now()
        detail = association.detail
      }
      if (now() > Math.min(refusedAt, endedAt) + refusalMs) break
      await sleep(5)
    }
    const milliseconds = now()
    const keys = lastKeys
    const isConnected = association.state === 'connected'
    if (isConnected) {
      if (inputWhenConnected !== undefined) child.stdin.write(inputWhenConnected)
      if (meeting.afterwards === 'we close') association.close()
      const until = now() + (meeting.afterwards === undefined ? 0 : afterwardsMs)
      while (now() < until && !hasEnded && (meeting.afterwards === 'wait' || association.state === 'connected'))
        await sleep(5)
      if (meeting.afterwards === 'we close') for (const end = now() + 1000; now() < end && !hasEnded; ) await sleep(5)
    }
    return {
      state: keys !== undefined ? 'connected' : detail === '' ? 'nothing' : 'refused',
      detail,
      sameKeys: printsKeys
        ? keys !== undefined && materialIn(output)?.startsWith(materialOf(keys, role)) === true
        : undefined,
      profile: keys?.local.profile,
      output,
      isClosed: association.state === 'closed',
      milliseconds,
    }
  } finally {
    await ended(child)
    socket.close()
  }
}

const materialIn = (output: string): string | undefined =>
  /key(?:ing)? material: ([0-9a-f]+)\s/i.exec(output)?.[1]?.toUpperCase()

/** As RFC 5764 §4.2 orders it: the client's key, the server's, the client's salt, the server's; what the program printed may be longer. */
function materialOf({ local, remote }: NonNullable<DtlsAssociation['keys']>, itsRole: 'client' | 'server'): string {
  const [client, server] = itsRole === 'server' ? [local, remote] : [remote, local]
  const bytes = Buffer.concat([client.key, server.key, client.salt, server.salt])
  return bytes.toString('hex').toUpperCase()
}

/** `send` after a network that loses, repeats and reorders. */
function impaired(network: Network = {}, send: (datagram: Uint8Array) => void): (datagram: Uint8Array) => void {
  const { lossRatio = 0, repeatRatio = 0, reorderRatio = 0, seed = 0 } = network
  const random = seeded(seed)
  const held: Uint8Array[] = []
  return datagram => {
    const [fate, again, late] = [random(), random(), random()]
    if (fate < lossRatio) return
    if (late < reorderRatio) {
      held.push(datagram)
      return
    }
    send(datagram)
    if (again < repeatRatio) send(datagram)
    for (const each of held.splice(0)) send(each)
  }
}

async function bound(port: number): Promise<Socket> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, '127.0.0.1', resolve)
  })
  return socket
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exit
}
