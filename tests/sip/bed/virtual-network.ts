import { createHash } from 'node:crypto'
import { hashNames } from '../../../sip/digest/algorithm.ts'
import type { ChallengeRefusal } from '../../../sip/digest/credential-scope.ts'
import { Endpoint } from '../../../sip/endpoint/endpoint.ts'
import type { EndpointInput, EndpointOutput } from '../../../sip/endpoint/input.ts'
import type { PeerConfig } from '../../../sip/endpoint/peers/peer.ts'
import type { CallEvent } from '../../../sip/endpoint/services/call-event.ts'
import type { InviteGate } from '../../../sip/endpoint/services/invite-gate.ts'
import { defaultLimits, type EndpointLimits } from '../../../sip/endpoint/services/settings.ts'
import type { SipMessage } from '../../../sip/message/message.ts'
import { parseMessage } from '../../../sip/message/parse.ts'
import type { Flow, TransportName } from '../../../sip/network/flow.ts'
import { defaultTimers } from '../../../sip/transaction/timer-settings.ts'
import { seeded } from '../../rig/probes/seeded.ts'

export interface Packet {
  readonly from: string
  readonly to: string
  readonly bytes: Uint8Array
  readonly message: SipMessage
}

export interface LinkRules {
  /** Share of datagrams lost, doubled, and held back by up to `jitterMs`. */
  readonly loss?: number
  readonly duplication?: number
  readonly jitterMs?: number
  readonly delayMs?: number
  readonly transport?: TransportName
  /** Decides about one packet before chance does; false = lost. */
  readonly pass?: (packet: Packet, at: number) => boolean
}

export interface Station {
  readonly address: string
  readonly endpoint: Endpoint
  /** Events, with their time. */
  readonly events: (CallEvent & { readonly at: number })[]
  /** Reacts to an event at once. */
  onEvent: ((event: CallEvent) => void) | undefined
  do(input: EndpointInput): void
}

interface Pending {
  readonly at: number
  readonly seq: number
  readonly run: () => void
}

/** Endpoints and bare sockets on one seeded network in virtual time. */
export class VirtualNetwork {
  now = 0
  readonly trace: { readonly at: number; readonly packet: Packet }[] = []
  /** Challenges that a station did not answer, as it reported them. */
  readonly notices: ChallengeRefusal[] = []
  rules: LinkRules
  readonly #random: () => number
  readonly #stations = new Map<string, Station>()
  readonly #sockets = new Map<string, (packet: Packet) => void>()
  readonly #flows = new Map<string, Flow>()
  readonly #pending: Pending[] = []
  #seq = 0

  constructor(seed: number, rules: LinkRules = {}) {
    this.#random = seeded(seed)
    this.rules = rules
  }

  station(
    address: string,
    peers: readonly Partial<PeerConfig>[] = [],
    limits: Partial<EndpointLimits> = {},
    gate?: InviteGate,
  ): Station {
    let ids = 0
    const random = seeded(Math.floor(this.#random() * 2 ** 32))
    const endpoint = new Endpoint({
      timers: defaultTimers,
      limits: { ...defaultLimits, ...limits },
      ...(gate === undefined ? {} : { gate }),
      realm: 'sauti.test',
      userAgent: 'Sauti',
      random: length => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
      hash: (algorithm, text) => createHash(hashNames[algorithm]).update(text).digest('hex'),
      newId: () => `${address}#${++ids}`,
    })
    const station: Station = {
      address,
      endpoint,
      events: [],
      onEvent: undefined,
      do: input => this.#drive(station, endpoint.handle(input, this.now)),
    }
    this.#stations.set(address, station)
    station.do({ type: 'peers', peers: peers.map((peer, at) => ({ ...plainPeer, id: `peer${at}`, ...peer })) })
    return station
  }

  /** A scripted peer: `received` sees what is sent to the address. */
  socket(address: string, received: (packet: Packet) => void): (to: string, text: string) => void {
    this.#sockets.set(address, received)
    return (to, text) => this.#transmit(address, to, new TextEncoder().encode(text))
  }

  /** Something to happen at a later time. */
  later(ms: number, run: () => void): void {
    this.#pending.push({ at: this.now + ms, seq: this.#seq++, run })
  }

  /** Runs for this many virtual milliseconds. */
  run(ms: number): void {
    const until = this.now + ms
    for (;;) {
      let next = until
      let owner: Station | undefined
      for (const station of this.#stations.values()) {
        const deadline = station.endpoint.deadline()
        if (deadline !== undefined && deadline < next) {
          next = deadline
          owner = station
        }
      }
      let first: Pending | undefined
      for (const pending of this.#pending)
        if (first === undefined || pending.at < first.at || (pending.at === first.at && pending.seq < first.seq))
          first = pending
      if (first !== undefined && first.at <= next && first.at <= until) {
        this.#pending.splice(this.#pending.indexOf(first), 1)
        this.now = Math.max(this.now, first.at)
        first.run()
      } else if (owner !== undefined) {
        this.now = Math.max(this.now, next)
        this.#drive(owner, owner.endpoint.timeout(this.now))
      } else break
    }
    this.now = until
  }

  #drive(station: Station, outputs: readonly EndpointOutput[]): void {
    for (const output of outputs) {
      switch (output.type) {
        case 'send':
          this.#transmit(station.address, output.flow.address, output.bytes)
          break
        case 'resolve': {
          const { host, port } = output.hop
          const hops = host.endsWith('.invalid') ? [] : [this.#flow(station.address, host, port ?? 5060)]
          this.later(0, () => station.do({ type: 'resolved', lookup: output.lookup, hops }))
          break
        }
        case 'challenge-refused':
          this.notices.push(output.refusal)
          break
        case 'peer':
        case 'unknown-source':
          break
        case 'call':
          station.events.push({ ...output.event, at: this.now })
          if (station.onEvent !== undefined) {
            const { event } = output
            this.later(0, () => station.onEvent?.(event))
          }
      }
    }
  }

  #transmit(from: string, to: string, bytes: Uint8Array): void {
    const parsed = parseMessage(bytes)
    const packet: Packet = {
      from,
      to,
      bytes,
      message: parsed.ok
        ? parsed.value
        : { kind: 'response', status: 0, reason: 'unreadable', headers: [], body: bytes },
    }
    this.trace.push({ at: this.now, packet })
    const { loss = 0, duplication = 0, jitterMs = 0, delayMs = 10, pass } = this.rules
    if (pass?.(packet, this.now) === false) return
    const copies = this.#random() < duplication ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (this.#random() < loss) continue
      this.later(delayMs + Math.floor(this.#random() * jitterMs), () => this.#deliver(packet))
    }
  }

  #deliver(packet: Packet): void {
    const station = this.#stations.get(packet.to)
    station?.do({ type: 'received', bytes: packet.bytes, flow: this.#flow(packet.to, packet.from, 5060) })
    this.#sockets.get(packet.to)?.(packet)
  }

  #flow(local: string, remote: string, port: number): Flow {
    const key = `${local} ${remote} ${port}`
    const known = this.#flows.get(key)
    if (known !== undefined) return known
    const transport = this.rules.transport ?? 'udp'
    const flow = { transport, address: remote, port, socket: 1, localHost: local, localPort: 5060 }
    this.#flows.set(key, flow)
    return flow
  }
}

const plainPeer: PeerConfig = {
  id: '',
  host: '192.0.2.1',
  port: 5060,
  transport: 'udp',
  username: '',
  password: '',
  register: false,
  inboundHosts: [],
  optionsPingSeconds: 0,
}
