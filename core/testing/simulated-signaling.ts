import type { LegCause } from '../model/end-reason.ts'
import type { LegUuid } from '../model/ids.ts'
import type { LegTarget, SignalingCommand, SignalingEvent } from '../ports/signaling.ts'

/** How a dialled number behaves; delays in ms. */
export interface Peer {
  readonly ringAfter?: number
  readonly earlyAfter?: number
  readonly answerAfter?: number
  readonly byeAfter?: number
  readonly endAfter?: number
  readonly cause?: LegCause
}

/** Under which name a test has said how the remote behaves. */
function peerName(target: LegTarget): string {
  switch (target.kind) {
    case 'trunk':
      return `${target.trunk.name}:${target.number}`
    case 'uri':
      return target.uri
    case 'phone':
      return target.binding.id
  }
}

/** What the simulation around it offers. */
interface SignalingWorld {
  at(delayMs: number, act: () => void): void
  send(event: SignalingEvent): void
  /** The caller sent no offer: its answer comes in the ACK. */
  isDelayedOffer(legId: LegUuid): boolean
  /** How long a leg that we end takes to end, ms. */
  readonly endLatencyMs: number
  /** Behaviour of remotes that the test does not name. Default: never answer. */
  readonly defaultPeer?: Peer
}

/** Remotes that behave as a test has said: they ring, answer, hang up or refuse, each after its time. */
export class SimulatedSignaling {
  readonly peers = new Map<string, Peer>()
  /** Legs that are not over: 'in' for callers. */
  readonly legs = new Map<LegUuid, 'in' | 'out'>()
  readonly #answered = new Set<LegUuid>()
  readonly #world: SignalingWorld

  constructor(world: SignalingWorld) {
    this.#world = world
  }

  /** The remote of a leg ends it. */
  end(legId: LegUuid, cause: LegCause): void {
    if (this.legs.delete(legId)) this.#world.send({ type: 'leg.ended', legId, cause })
  }

  /** The callee answers now, whatever its behaviour. */
  answer(legId: LegUuid): void {
    if (this.legs.get(legId) !== 'out' || this.#answered.has(legId)) return
    this.#answered.add(legId)
    this.#world.send({ type: 'leg.answered', legId, sdp: 'answer' })
  }

  hangUp(legId: LegUuid): void {
    this.end(legId, this.#answered.has(legId) ? { kind: 'bye' } : { kind: 'cancel' })
  }

  /** Legs that we dialled by SIP and that are not over, oldest first. */
  get dialled(): readonly LegUuid[] {
    return [...this.legs].filter(([, side]) => side === 'out').map(([legId]) => legId)
  }

  execute(command: SignalingCommand): void {
    const { legId } = command
    switch (command.type) {
      case 'leg.dial':
        this.legs.set(legId, 'out')
        this.#behave(
          legId,
          this.peers.get(peerName(command.target)) ??
            this.peers.get(command.target.kind === 'trunk' ? command.target.number : '') ??
            this.#world.defaultPeer ??
            {},
        )
        return
      case 'leg.answer':
        this.#answered.add(legId)
        this.#world.at(4, () => {
          if (!this.legs.has(legId)) return
          const delayed = this.#world.isDelayedOffer(legId)
          this.#world.send({ type: 'leg.confirmed', legId, ...(delayed ? { sdp: 'answer in ACK' } : {}) })
        })
        return
      case 'leg.end':
        this.#world.at(this.#world.endLatencyMs, () => this.end(legId, { kind: 'bye' }))
        return
      default:
        return
    }
  }

  #behave(legId: LegUuid, peer: Peer): void {
    const alive = (act: () => void) => () => {
      if (this.legs.has(legId)) act()
    }
    const { ringAfter, earlyAfter, answerAfter, byeAfter, endAfter, cause } = peer
    if (ringAfter !== undefined)
      this.#world.at(
        ringAfter,
        alive(() => this.#world.send({ type: 'leg.ringing', legId })),
      )
    if (earlyAfter !== undefined) {
      this.#world.at(
        earlyAfter,
        alive(() => this.#world.send({ type: 'leg.early', legId, sdp: 'early answer', ringing: false })),
      )
    }
    if (answerAfter !== undefined) {
      this.#world.at(
        answerAfter,
        alive(() => this.answer(legId)),
      )
      if (byeAfter !== undefined)
        this.#world.at(
          answerAfter + byeAfter,
          alive(() => this.end(legId, { kind: 'bye' })),
        )
    }
    if (endAfter !== undefined)
      this.#world.at(
        endAfter,
        alive(() => this.end(legId, cause ?? { kind: 'response', status: 486 })),
      )
  }
}
