import { glareWaitMs } from '../sip/index.ts'

/** What a live call asks of the rest to change its session. */
interface RenegotiationPorts {
  /** Our offer; rejects when the media are gone. */
  offer(wish: { readonly hold: boolean; readonly restart: boolean }): Promise<string>
  accept(sdp: string): Promise<void>
  /** Back to what was agreed, which was `hold`. */
  rollBack(hold: boolean): Promise<void>
  /** Sends the re-INVITE; `answered` or `refused` follows. */
  send(sdp: string): void
  /** The line stands and the phone is registered on it. */
  isReady(): boolean
  held(isOnHold: boolean): void
  /** A new ICE try was refused for good: the audio is lost. */
  restartRefused(status: number): void
}

interface Waiter {
  readonly hold: boolean
  resolve(): void
  reject(status: number): void
}

/**
 * Wishes for a live call (hold, a new ICE try, showing the new connection) become re-INVITEs, one at a time; what
 * cannot be sent now is sent when the line is back.
 */
export class Renegotiation {
  readonly #ports: RenegotiationPorts
  readonly #weCalled: boolean
  #isHeld = false
  #wantsHold = false
  #wantsRestart = false
  #wantsRefresh = false
  #open: { readonly hold: boolean; readonly restart: boolean } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #waiters: Waiter[] = []
  #isClosed = false

  constructor(ports: RenegotiationPorts, weCalled: boolean) {
    this.#ports = ports
    this.#weCalled = weCalled
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Our own offer is being made, or is out: theirs would meet it. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Resolves when the remote has agreed; rejects with its status. */
  hold(hold: boolean): Promise<void> {
    this.#wantsHold = hold
    if (this.#isHeld === hold && this.#open === undefined) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ hold, resolve, reject })
      this.settle()
    })
  }

  restart(): void {
    this.#wantsRestart = true
    this.settle()
  }

  /** The dialog is shown to the switch over the connection that stands now (RFC 5626 §4.3). */
  refresh(): void {
    this.#wantsRefresh = true
    this.settle()
  }

  /** Sends what is wanted, when it can be sent now. */
  settle(): void {
    const isWanted = this.#wantsHold !== this.#isHeld || this.#wantsRestart || this.#wantsRefresh
    if (this.#isClosed || this.#open !== undefined || !isWanted || !this.#ports.isReady()) return
    const wish = { hold: this.#wantsHold, restart: this.#wantsRestart }
    this.#open = wish
    this.#wantsRestart = false
    this.#wantsRefresh = false
    this.#ports.offer(wish).then(
      sdp => {
        if (!this.#isClosed) this.#ports.send(sdp)
      },
      () => this.refused(488),
    )
  }

  async answered(sdp: string): Promise<void> {
    const wish = this.#open
    if (wish === undefined) return
    try {
      await this.#ports.accept(sdp)
    } catch {
      await this.refused(488)
      return
    }
    this.#open = undefined
    if (this.#isClosed) return
    if (this.#isHeld !== wish.hold) {
      this.#isHeld = wish.hold
      this.#ports.held(wish.hold)
    }
    this.#settle(wish.hold, undefined)
    this.settle()
  }

  /** Status 0: the line went down before an answer came. */
  async refused(status: number): Promise<void> {
    const wish = this.#open
    if (wish === undefined) return
    await this.#ports.rollBack(this.#isHeld).catch(() => {})
    this.#open = undefined
    if (this.#isClosed) return
    if (status === 0 || status === 491) {
      this.#wantsRestart ||= wish.restart
      this.#wantsRefresh = true
      if (status === 491) this.#timer = setTimeout(() => this.settle(), glareWaitMs(this.#weCalled, Math.random()))
      else this.settle()
      return
    }
    this.#wantsHold = this.#isHeld
    this.#settle(wish.hold, status)
    if (wish.restart) this.#ports.restartRefused(status)
    this.settle()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const waiter of this.#waiters.splice(0)) waiter.reject(487)
  }

  #settle(hold: boolean, status: number | undefined): void {
    const settled = this.#waiters.filter(waiter => waiter.hold === hold)
    this.#waiters = this.#waiters.filter(waiter => waiter.hold !== hold)
    for (const waiter of settled) {
      if (status === undefined) waiter.resolve()
      else waiter.reject(status)
    }
  }
}
