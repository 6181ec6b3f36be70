import { rmSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseWav, wavHeader } from '../../../rtp/index.ts'
import { TextMap } from '../../../sip/index.ts'
import type { Destinations } from '../../billing/destinations.ts'
import type { TrunkLoads } from '../../caps/trunk-loads.ts'
import { wishesOf } from '../../dial/resolve-child.ts'
import { refusesOffer } from '../../leg/reason-of.ts'
import type { CallUuid, LegUuid } from '../../model/ids.ts'
import type { Trunk } from '../../model/trunk.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Media, MediaCommand } from '../../ports/media.ts'
import type { Signaling } from '../../ports/signaling.ts'
import { longestPrefix } from '../../routing/e164.ts'
import { numberForTrunk } from '../../routing/routes.ts'
import { type Echo, echoSignal, findEcho, signalRate } from '../../trunk-test/echo-signal.ts'
import { type TestCallResult, testResult } from '../../trunk-test/outcome.ts'
import {
  TestCall,
  type TestCallCommand,
  type TestCallEvent,
  type TestCallFigures,
  type TestCallPlan,
} from '../../trunk-test/test-call.ts'
import { makeFolder } from '../system/make-folder.ts'

interface TrunkCallsOptions {
  /** Files of tests are here while they run; what an earlier process has left is removed. */
  readonly folder: string
  readonly loads: Pick<TrunkLoads, 'take' | 'release'>
  readonly destinations: () => Destinations
  readonly isDraining: () => boolean
  readonly clock: Clock
  readonly random: Random
}

interface TestCallPorts {
  readonly signaling: Signaling
  readonly media: Media
}

/**
 * Why no test call is made.
 * - `draining`: the switch takes no new calls
 * - `blocked`: the operator does not allow calls to the number
 * - `prefix`: no prefix of the trunk fits the number
 * - `running`: another test runs on this trunk
 * - `full`: the trunk has as many calls as it may have
 */
export type TestRefusal = 'draining' | 'blocked' | 'prefix' | 'running' | 'full'

interface Running {
  readonly call: TestCall
  readonly done: (figures: TestCallFigures) => void
  disarm: () => void
}

/** Test calls through trunks: beside the exchange, without a call's row and without money. */
export class TrunkCalls {
  readonly #options: TrunkCallsOptions
  /** The leg of each test that runs, and what takes its events. */
  readonly legs = new TextMap<LegUuid, (event: { readonly type: string }) => void>()
  readonly #running = new Set<Running>()
  readonly #trunks = new Set<string>()
  readonly #signalFile: string
  #ports: TestCallPorts | undefined

  constructor(options: TrunkCallsOptions) {
    this.#options = options
    this.#signalFile = join(options.folder, 'signal.wav')
    rmSync(options.folder, { recursive: true, force: true })
  }

  connect(ports: TestCallPorts): void {
    this.#ports = ports
  }

  /** Calls `number` (E.164) through the trunk. Takes twenty seconds at most. */
  async place(trunk: Trunk, number: string, from: string, signal?: AbortSignal): Promise<TestCallResult | TestRefusal> {
    const { loads, clock } = this.#options
    if (this.#options.isDraining()) return 'draining'
    if (!this.#options.destinations().allows(number)) return 'blocked'
    if (longestPrefix(number, trunk.prefixes) === undefined) return 'prefix'
    if (this.#trunks.has(trunk.uuid)) return 'running'
    if (!loads.take(trunk, clock.now())) return 'full'
    this.#trunks.add(trunk.uuid)
    try {
      return await this.#tryWishes(trunk, numberForTrunk(number, trunk), from, signal)
    } finally {
      this.#trunks.delete(trunk.uuid)
      loads.release(trunk, clock.now())
    }
  }

  /** Ends those that run. */
  close(): void {
    for (const running of [...this.#running]) {
      this.#run(running, running.call.cancel(this.#options.clock.now()))
    }
  }

  /** As of every call: a trunk that refuses SRTP is asked again without, where it may be. */
  async #tryWishes(
    trunk: Trunk,
    number: string,
    from: string,
    signal: AbortSignal | undefined,
  ): Promise<TestCallResult> {
    const { folder, random } = this.#options
    const wishes = wishesOf[trunk.srtp]
    for (const [place, srtp] of wishes.entries()) {
      const legId = random.uuid() as LegUuid
      const recordFile = join(folder, `${legId}.wav`)
      const files = { signalFile: this.#signal(), recordFile }
      const callId = random.uuid() as CallUuid
      const figures = await this.#call({ legId, callId, trunk, number, from, srtp, ...files }, signal)
      const isRefused = figures.end === 'refused' && figures.cause !== undefined && refusesOffer(figures.cause)
      if (isRefused && place < wishes.length - 1 && signal?.aborted !== true) continue
      const echo = figures.isRecorded ? await echoIn(recordFile) : undefined
      await rm(recordFile, { force: true })
      return testResult(number, figures, echo)
    }
    throw new Error('a trunk without a wish for SRTP')
  }

  #call(plan: TestCallPlan, signal: AbortSignal | undefined): Promise<TestCallFigures> {
    const { clock } = this.#options
    const call = new TestCall(plan, clock.now())
    return new Promise(done => {
      const cancel = () => this.#run(running, call.cancel(clock.now()))
      const finished = (figures: TestCallFigures) => {
        signal?.removeEventListener('abort', cancel)
        done(figures)
      }
      const running: Running = { call, done: finished, disarm: () => {} }
      this.#running.add(running)
      this.legs.set(plan.legId, event => this.#run(running, call.handle(event as TestCallEvent, clock.now())))
      signal?.addEventListener('abort', cancel)
      this.#run(running, call.start(clock.now()))
      if (signal?.aborted === true) cancel()
    })
  }

  #run(running: Running, commands: readonly TestCallCommand[]): void {
    const { call } = running
    for (const command of commands) {
      if (isMedia(command)) this.#ports?.media.execute(command)
      else this.#ports?.signaling.execute(command)
    }
    running.disarm()
    const { figures } = call
    if (figures !== undefined) {
      this.legs.delete(call.plan.legId)
      if (this.#running.delete(running)) running.done(figures)
      return
    }
    const deadline = call.deadline()
    if (deadline === undefined) return
    const { clock } = this.#options
    running.disarm = clock.at(deadline, () => this.#run(running, call.timeout(clock.now())))
  }

  /** Written by the first test: who never tests has no file of it. */
  #signal(): string {
    makeFolder(this.#options.folder)
    const samples = echoSignal()
    const format = { encoding: 'pcm16', channels: 1, sampleRate: signalRate } as const
    const bytes = new Uint8Array(samples.buffer)
    writeFileSync(this.#signalFile, Buffer.concat([wavHeader(format, bytes.length), bytes]))
    return this.#signalFile
  }
}

const isMedia = (command: TestCallCommand): command is MediaCommand => command.type.startsWith('media.')

/** Left is what was received, right what was sent. Undefined: ours is not in it, or the file cannot be read. */
async function echoIn(file: string): Promise<Echo | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  const wav = bytes === undefined ? undefined : parseWav(bytes)
  if (bytes === undefined || wav?.ok !== true) return undefined
  const { dataFrom, dataLength } = wav.value
  const frames = Math.floor(dataLength / 4)
  const received = new Int16Array(frames)
  const sent = new Int16Array(frames)
  for (let frame = 0; frame < frames; frame++) {
    received[frame] = bytes.readInt16LE(dataFrom + 4 * frame)
    sent[frame] = bytes.readInt16LE(dataFrom + 4 * frame + 2)
  }
  return findEcho(received, sent)
}
