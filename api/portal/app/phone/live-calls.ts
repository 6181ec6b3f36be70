// Tabs of one sign-in share its session: a sign-out in one of them ends the calls of all. They ask one another.

interface Message {
  /** `asked`: whether a phone of the session has a call. */
  readonly kind: 'asked' | 'has-call'
  readonly session: string
}

const channel = new BroadcastChannel('sauti-live-calls')
/** Tabs of one browser answer within a few milliseconds, those that are not looked at a little later. */
const answerWithinMs = 300

let hasCallHere: (session: string) => boolean = () => false
const waiting = new Map<string, () => void>()

channel.onmessage = ({ data: { kind, session } }: MessageEvent<Message>) => {
  if (kind === 'has-call') waiting.get(session)?.()
  else if (hasCallHere(session)) channel.postMessage({ kind: 'has-call', session } satisfies Message)
}

/** Says for this tab whether the phone of that session has a call. */
export function tellLiveCalls(hasCall: (session: string) => boolean): void {
  hasCallHere = hasCall
}

/** Whether a phone of that session has a call, in this tab or in another one of the browser. */
export async function hasLiveCall(session: string): Promise<boolean> {
  if (hasCallHere(session)) return true
  return await new Promise(resolve => {
    const settle = (hasCall: boolean) => {
      waiting.delete(session)
      resolve(hasCall)
    }
    waiting.set(session, () => settle(true))
    channel.postMessage({ kind: 'asked', session } satisfies Message)
    setTimeout(() => settle(false), answerWithinMs)
  })
}
