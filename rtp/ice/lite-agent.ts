import { isUnknownRequired, stunAttributes } from '../stun/attributes.ts'
import {
  attributeOf,
  bindingMethod,
  fingerprintFits,
  integrityFits,
  type StunMessage,
  usernameOf,
} from '../stun/message.ts'
import { StunWriter } from '../stun/writer.ts'
import type { IceCredentials } from './credentials.ts'

/** RFC 7675 §5.1: a remote without a check for this time has withdrawn its consent. */
export const consentMs = 30_000
/** Within this time a remote that is there has checked again: every 5 s, a fifth more at most (RFC 7675 §5.1). */
const checksWithinMs = 6000
/** Pairs of an address of ours and one of the remote at a time; the one that was silent for longest makes room. */
export const mostPaths = 16
/** Attributes that a 420 names; otherwise it grows beyond the request. */
const mostNamed = 8

interface IceCounters {
  /** Requests that were answered with success. */
  checks: number
  /** Without MESSAGE-INTEGRITY, or with a wrong one; other users'; no requests. */
  dropped: number
  roleConflicts: number
  unknownAttributes: number
}

/** A pair of addresses that a valid check came through: what we send there was asked for. */
export interface Path {
  /** Which of our sockets; answers and media leave from the address that was asked (RFC 8445 §7.3.1.2). */
  readonly local: number
  readonly address: number
  readonly port: number
  checkedAt: number
}

interface IceAnswer {
  /** Length of the response in the given buffer; 0 = none. */
  readonly length: number
  /** The check was valid: the address may be listened to. */
  readonly isValid: boolean
}

const dropped: IceAnswer = { length: 0, isValid: false }

interface Own extends IceCredentials {
  readonly key: Uint8Array
}

const own = (credentials: IceCredentials): Own => ({
  ...credentials,
  key: Uint8Array.from(credentials.password, character => character.charCodeAt(0)),
})

/**
 * The lite side of ICE (RFC 8445 §2.5): always controlled, one host candidate, answers checks and starts none. What the
 * remote nominates last is where media goes; where it comes from need not be in any SDP (peer-reflexive).
 */
export class LiteAgent {
  readonly counters: IceCounters = { checks: 0, dropped: 0, roleConflicts: 0, unknownAttributes: 0 }
  #own: Own
  /** The run before a restart; its path is used until the new run has one (RFC 8445 §9). */
  #before: Own | undefined
  #remoteUfrag: string | undefined
  #paths: Path[] = []
  #selected: Path | undefined

  constructor(credentials: IceCredentials) {
    this.#own = own(credentials)
  }

  get credentials(): IceCredentials {
    return this.#own
  }
  /** Where to send; undefined before the first valid check, and when consent has run out. */
  get selected(): Path | undefined {
    return this.#selected
  }
  get paths(): readonly Path[] {
    return this.#paths
  }

  /**
   * Takes the name from offer or answer. A changed name is a restart of the remote, and checks of the old run are
   * over.
   */
  setRemote(ufrag: string): void {
    this.#remoteUfrag = ufrag
  }

  restart(credentials: IceCredentials): void {
    this.#before = this.#own
    this.#own = own(credentials)
    this.#remoteUfrag = undefined
  }

  /** A valid check has just come from there: it is this remote's. */
  holds(address: number, port: number, now: number): boolean {
    return this.#paths.some(
      path => path.address === address && path.port === port && now - path.checkedAt < checksWithinMs,
    )
  }

  /** True for a name of ours that a check may be addressed to. */
  knows(ufrag: string): boolean {
    return ufrag === this.#own.ufrag || ufrag === this.#before?.ufrag
  }

  /**
   * A message from an address, to socket `local` of ours. The response, if any, is written to `into`; it is never longer
   * than the request.
   */
  handle(message: StunMessage, address: number, port: number, into: Uint8Array, now: number, local = 0): IceAnswer {
    const user = usernameOf(message)
    const isBinding = message.class === 'request' && message.method === bindingMethod
    const run = this.#runOf(user)
    const isReal =
      isBinding && run !== undefined && fingerprintFits(message) === true && integrityFits(message, run.key)
    // An answer to an unauthenticated request would help those who forge addresses: RFC 8489 §9.1.3's 401 stays out.
    if (!isReal || run === undefined) {
      this.counters.dropped++
      return dropped
    }
    const unknown = message.attributes.filter(({ type }) => isUnknownRequired(type))
    if (unknown.length > 0) {
      this.counters.unknownAttributes++
      const types = unknown.slice(0, mostNamed).map(({ type }) => type)
      const answer = StunWriter.answer(into, 'error', message).error(420, 'Unknown Attribute').unknown(types)
      return { length: noLonger(answer.seal(run.key), message), isValid: false }
    }
    // RFC 8445 §7.3.1.1: we cannot control, so who believes to be controlled is reported.
    if (attributeOf(message, stunAttributes.iceControlled) !== undefined) {
      this.counters.roleConflicts++
      const answer = StunWriter.answer(into, 'error', message).error(487, 'Role Conflict')
      return { length: noLonger(answer.seal(run.key), message), isValid: false }
    }
    this.counters.checks++
    const nominates = attributeOf(message, stunAttributes.useCandidate) !== undefined
    this.#checked(this.#pathOf(local, address, port, now), run, nominates, now)
    const answer = StunWriter.answer(into, 'success', message).mapped(address, port)
    return { length: noLonger(answer.seal(run.key), message), isValid: true }
  }

  /** Forgets paths without consent. Returns true when the selected one was among them. */
  expire(now: number): boolean {
    if (this.#paths.every(path => now - path.checkedAt < consentMs)) return false
    this.#paths = this.#paths.filter(path => now - path.checkedAt < consentMs)
    const isLost = this.#selected !== undefined && !this.#paths.includes(this.#selected)
    if (isLost) this.#selected = this.#paths[0]
    return isLost && this.#selected === undefined
  }

  /** The run of ours that a user name belongs to: `ours:theirs`. */
  #runOf(user: string | undefined): Own | undefined {
    if (user === undefined) return undefined
    const colon = user.indexOf(':')
    if (colon === -1) return undefined
    const ufrag = user.slice(0, colon)
    if (ufrag === this.#own.ufrag) {
      // Before the answer to an offer of ours their name is not known (RFC 8445 §7.3).
      const isTheirs = this.#remoteUfrag === undefined || user.slice(colon + 1) === this.#remoteUfrag
      return isTheirs ? this.#own : undefined
    }
    return ufrag === this.#before?.ufrag ? this.#before : undefined
  }

  #pathOf(local: number, address: number, port: number, now: number): Path {
    const known = this.#paths.find(path => path.local === local && path.address === address && path.port === port)
    if (known !== undefined) return known
    const path = { local, address, port, checkedAt: now }
    if (this.#paths.length === mostPaths) this.#dropOldest()
    this.#paths.push(path)
    return path
  }

  #checked(path: Path, run: Own, nominates: boolean, now: number): void {
    path.checkedAt = now
    // RFC 8445 §12.1.1: any valid pair will do until one is nominated. The run before a restart goes on choosing until the
    // new one has: a browser whose network changed before it had our answer still follows that (§9).
    if (nominates || (run === this.#own && this.#selected === undefined)) this.#selected = path
    if (nominates && run === this.#own) this.#before = undefined
  }

  #dropOldest(): void {
    const others = this.#paths.filter(path => path !== this.#selected)
    const oldest = others.reduce((least, next) => (next.checkedAt < least.checkedAt ? next : least))
    this.#paths.splice(this.#paths.indexOf(oldest), 1)
  }
}

/** Amplifies nothing: an answer that would be longer than what asked for it is not given. */
const noLonger = (length: number, { length: asked }: StunMessage): number => (length <= asked ? length : 0)
