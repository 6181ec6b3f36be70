/** One entry into a function of ours: its file, and the file that called it, if one of ours did. */
export interface Entry {
  readonly file: string
  readonly caller: string | undefined
  readonly functionName: string
}

interface CoverageFunction {
  readonly functionName: string
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
}

interface Location {
  readonly scriptId: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** What the inspector's methods answer, as far as it is asked for. */
interface Result {
  readonly result?: unknown
  readonly scriptSource?: string
  readonly locations?: readonly Location[]
  readonly breakpointId?: string
}

interface ScriptCoverage {
  readonly scriptId: string
  readonly url: string
  readonly functions: readonly CoverageFunction[]
}

const settledMs = 1200
const ours = /\/((?:sip|rtp|core|api)\/[\w./-]+\.ts)\b/
/** A condition that is never true: the place is noted, and the process goes on. */
const noteStack = '(globalThis.walked ??= []).push(new Error().stack), false'

/** The main thread of a Node process, through its inspector's socket. */
export class Debugged {
  readonly #socket: WebSocket
  readonly #answers = new Map<number, (result: Result) => void>()
  readonly #breakpoints: string[] = []
  readonly #sources = new Map<string, string>()
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.onmessage = ({ data }) => this.#received(JSON.parse(String(data)))
  }

  static async connect(url: string): Promise<Debugged> {
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => {
      socket.onopen = resolve
      socket.onerror = reject
    })
    const made = new Debugged(socket)
    await made.#call('Debugger.enable')
    await made.#call('Profiler.enable')
    await made.#call('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return made
  }

  close(): void {
    this.#socket.close()
  }

  /**
   * The entries into functions while `act` runs, in order. It runs twice, after `prepare`: first to find which functions are
   * called, then with a note in each. Functions that also run while nothing happens are left out.
   */
  async entriesOf(act: () => Promise<void>, prepare: () => Promise<void> = async () => {}): Promise<readonly Entry[]> {
    await this.#called(3 * settledMs)
    const idle = await this.#called(3 * settledMs)
    await prepare()
    await this.#called(0)
    await act()
    for (const [key, location] of await this.#called(settledMs)) if (!idle.has(key)) await this.#breakIn(location)
    await prepare()
    await this.#evaluate('Error.stackTraceLimit = 20; globalThis.walked = []')
    await act()
    await new Promise(resolve => setTimeout(resolve, settledMs))
    const stacks: readonly string[] = JSON.parse(await this.#evaluate('JSON.stringify(globalThis.walked)'))
    for (const breakpointId of this.#breakpoints.splice(0))
      await this.#call('Debugger.removeBreakpoint', { breakpointId })
    return stacks.flatMap(entryOf)
  }

  async #evaluate(expression: string): Promise<string> {
    const { result } = await this.#call('Runtime.evaluate', { expression, returnByValue: true })
    return String((result as { readonly value?: unknown } | undefined)?.value)
  }

  /** Functions that were called since the last question, by file and place. */
  async #called(afterMs: number) {
    await new Promise(resolve => setTimeout(resolve, afterMs))
    const { result } = await this.#call('Profiler.takePreciseCoverage')
    const called = new Map<string, { readonly scriptId: string; readonly from: number; readonly to: number }>()
    for (const { scriptId, url, functions } of result as readonly ScriptCoverage[]) {
      const file = ours.exec(url)?.[1]
      if (file === undefined) continue
      for (const { ranges } of functions) {
        const [{ startOffset: from, endOffset: to, count } = { startOffset: 0, endOffset: 0, count: 0 }] = ranges
        if (count > 0 && from > 0) called.set(`${file}:${from}`, { scriptId, from, to })
      }
    }
    return called
  }

  async #breakIn({ scriptId, from, to }: { scriptId: string; from: number; to: number }): Promise<void> {
    let source = this.#sources.get(scriptId)
    if (source === undefined) {
      source = (await this.#call('Debugger.getScriptSource', { scriptId })).scriptSource ?? ''
      this.#sources.set(scriptId, source)
    }
    const at = (offset: number): Location => {
      const before = source.slice(0, offset).split('\n')
      return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)!.length }
    }
    const { locations = [] } = await this.#call('Debugger.getPossibleBreakpoints', {
      start: at(from),
      end: at(to),
      restrictToFunction: true,
    })
    if (locations[0] === undefined) return
    const { breakpointId } = await this.#call('Debugger.setBreakpoint', {
      location: locations[0],
      condition: noteStack,
    })
    if (breakpointId !== undefined) this.#breakpoints.push(breakpointId)
  }

  #received(message: { id?: number; result?: Result }): void {
    if (message.id === undefined) return
    this.#answers.get(message.id)?.(message.result ?? {})
    this.#answers.delete(message.id)
  }

  #call(method: string, params: object = {}): Promise<Result> {
    const id = ++this.#calls
    return new Promise(resolve => {
      this.#answers.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }
}

/** The function that a stack was taken in, and who called it; the first frame is that of the note itself. */
function entryOf(stack: string): Entry[] {
  const frames = stack.split('\n').flatMap(line => {
    const file = ours.exec(line)?.[1]
    return file === undefined ? [] : [{ file, functionName: /at (?:async )?(?:new )?(\S+) \(/.exec(line)?.[1] ?? '' }]
  })
  const [, frame, caller] = frames
  return frame === undefined ? [] : [{ ...frame, caller: caller?.file }]
}
