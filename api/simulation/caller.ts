import type { SimulatedRemote, SimulatedRequest, Simulation } from '../../core/testing/index.ts'

/** A person presses a key after a moment of silence. */
const beforeKeysMs = 500
const stepMs = 100
export const longestCallMs = 24 * 3600 * 1000

/** A call that asks for more documents than this does not end by itself. */
export const maxRequests = 1000

/** What the caller of a simulated call does. */
export interface CallerPlan {
  /** Keys for one prompt after another. */
  readonly press: readonly string[]
  readonly speakSeconds: number
  readonly hangUpAtMs: number
}

/** The caller's part: keys at the prompts, speech into recordings, and the end. */
export async function playCaller(sauti: Simulation, caller: SimulatedRemote, plan: CallerPlan): Promise<void> {
  const hasEnded = () => sauti.endOf(caller) !== undefined
  const isOver = () => hasEnded() || sauti.requests.length >= maxRequests
  let silentSince: number | undefined
  let promptsAtLastDigits = -1
  let wasRecording = false
  // The first step is always taken: it brings the call to the switch, where it can be hung up.
  do {
    const isRecording = sauti.isRecording(caller)
    silentSince = sauti.isSilent(caller) ? (silentSince ?? sauti.nowMs) : undefined
    const isTurn = silentSince !== undefined && sauti.nowMs - silentSince >= beforeKeysMs
    // Keys that no Gather took are pressed again once something else was played.
    const next = plan.press[sauti.requests.filter(isGathered).length]
    if (isRecording && !wasRecording) await caller.speak(plan.speakSeconds)
    else if (next !== undefined && isTurn && caller.heard.length !== promptsAtLastDigits) {
      promptsAtLastDigits = caller.heard.length
      await caller.press(next)
    } else await sauti.runUntil(isOver, stepMs)
    wasRecording = isRecording
  } while (!isOver() && sauti.nowMs < plan.hangUpAtMs)
  if (!hasEnded()) await caller.hangUp()
}

const isGathered = ({ fields }: SimulatedRequest): boolean =>
  fields.Digits !== undefined && fields.RecordingUuid === undefined
