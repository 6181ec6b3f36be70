import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { type GatheredTrace, withPage } from './gathered-trace.ts'
import { tracePage } from './trace-page.ts'

/** How often a live call's trace is asked for; one of many entries, which is long to read, less often. */
const followMs = 1000
const longFollowMs = 5000
const longTrace = 300

interface Followed {
  /** Undefined: not known yet, or none is kept. */
  readonly trace: GatheredTrace | undefined
  /** How often it was answered; 0: not yet. */
  readonly answers: number
  /** More pages are asked for. */
  readonly isGrowing: boolean
  readonly error: Error | undefined
}

const nothingYet: Followed = { trace: undefined, answers: 0, isGrowing: false, error: undefined }

/** Reads the trace of one call page by page: each page is shown when it comes, and what comes later is asked for from there. */
class TraceFollower {
  readonly #uuid: string
  readonly #show: (followed: Followed) => void
  readonly #closing = new AbortController()
  #followed = nothingYet
  #isReading = false
  #isAskedAgain = false
  #isLive = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(uuid: string, show: (followed: Followed) => void) {
    this.#uuid = uuid
    this.#show = show
  }

  /** A live call is asked for again and again: verbs, SIP and RTP have no events. */
  follow(isLive: boolean): void {
    this.#isLive = isLive
    this.read()
  }

  /** What came since. */
  async read(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isAskedAgain = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isAskedAgain || this.#followed.isGrowing) {
        this.#isAskedAgain = false
        await this.#readPage()
      }
    } catch (fault) {
      this.#tell({ isGrowing: false, error: fault instanceof Error ? fault : new Error(String(fault)) })
    }
    this.#isReading = false
    this.#readLater()
  }

  /** The rest, after an error. */
  retry(): void {
    this.#tell({ error: undefined, isGrowing: this.#followed.trace !== undefined })
    this.read()
  }

  close(): void {
    this.#closing.abort()
    clearTimeout(this.#timer)
  }

  async #readPage(): Promise<void> {
    const { trace, answers } = this.#followed
    const page = await tracePage(this.#uuid, trace?.last ?? 0, this.#closing.signal)
    const gathered = page === undefined ? trace : withPage(trace, page)
    const isGrowing = page?.has_more === true
    this.#tell({ trace: gathered, answers: answers + 1, isGrowing, error: undefined })
  }

  #readLater(): void {
    if (!this.#isLive || this.#closing.signal.aborted) return
    const isLong = (this.#followed.trace?.entries.length ?? 0) > longTrace
    const later = () => (document.hidden ? this.#readLater() : this.read())
    this.#timer = setTimeout(later, isLong ? longFollowMs : followMs)
  }

  #tell(changes: Partial<Followed>): void {
    if (this.#closing.signal.aborted) return
    this.#followed = { ...this.#followed, ...changes }
    this.#show(this.#followed)
  }
}

/** The trace of a call as it comes; asked for again with each of its `changes`, and all the time while it is live. */
export function useTrace(uuid: string, changes: number, isLive: boolean): Followed & { readonly retry: () => void } {
  const [followed, show] = useState(nothingYet)
  const follower = useMemo(() => new TraceFollower(uuid, show), [uuid])
  useEffect(() => () => follower.close(), [follower])
  // Asked before the browser paints the page, which takes a frame or more.
  useLayoutEffect(() => follower.follow(isLive), [follower, changes, isLive])
  return { ...followed, retry: () => follower.retry() }
}
