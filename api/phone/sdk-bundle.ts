import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const entry = new URL('../../sdk/index.ts', import.meta.url)
/** What `npm run build:sdk` writes. */
export const builtSdk: URL = new URL('../../sdk/dist/sauti-phone.js', import.meta.url)

/** Our own modules do nothing when they are loaded: what is not used of them stays out of the bundle. */
const pureModules: Plugin = {
  name: 'pure-modules',
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === pureModules) return undefined
      const found = await build.resolve(path, { resolveDir, kind, pluginData: pureModules })
      return { ...found, sideEffects: false }
    })
  },
}

/** A phone has few calls: for their texts a `Map` does what `TextMap` does, and takes nothing of the bundle. */
const plainMaps: Plugin = {
  name: 'plain-maps',
  setup(build) {
    build.onLoad({ filter: /sip[\\/]base[\\/]text-map\.ts$/ }, () => ({
      contents: 'export const TextMap = Map\nexport const seedTextMaps = () => {}',
    }))
  },
}

/** Properties of the SDK's own parts, which no page and no browser names: short in the bundle. */
const internalNames = [
  ...['absorbed', 'acceptedUnix', 'ackArrived', 'acknowledge', 'acknowledgeAgain', 'acknowledged'],
  ...['answerAgain', 'armTimers', 'atMs', 'branch', 'bytes', 'bytesReceived', 'bytesSent', 'callId', 'callOf'],
  'cells',
  'nextHop',
  'sendDigits',
  'transaction',
  ...['cancelled', 'changed', 'claims', 'closeSpeaker', 'compact', 'confirmed', 'contact', 'contentLength'],
  ...['cseq', 'cseqMethod', 'cseqText', 'deadline', 'devicesChanged', 'dialog', 'disconnected', 'doubtLine'],
  ...['emit', 'engine', 'expired', 'expiresSeconds', 'failed', 'fallback', 'faltering', 'fault'],
  ...['fields', 'finished', 'flow', 'formatAck', 'fraction', 'fromTag'],
  ...['gatheringTimeoutMs', 'gaveUp', 'giveBackMicrophone', 'giveUp', 'handle', 'headers', 'host'],
  ...['iceGatheringTimeoutMs', 'identity', 'instance', 'inviteOf', 'isAccepted', 'isFinal', 'isFor', 'isHeld'],
  ...['isNews', 'isOf', 'isOpen', 'isReady', 'isRunning', 'isSettled', 'isUp', 'keyTone'],
  ...['layer', 'leave', 'leaving', 'lineDown', 'lineRestored', 'lineUp', 'listenerFailed'],
  ...['localHost', 'localPort', 'localSeq', 'localTag', 'lost', 'lower', 'media', 'method', 'networkChanged'],
  ...['offeredAgain', 'openSpeaker', 'outReason', 'owner', 'ownOffers', 'partial', 'party', 'rearmRepeat'],
  ...['received', 'reconnected', 'reconnecting', 'refuse', 'refused', 'refuseReoffer', 'registered'],
  ...['registrar', 'registrationFailed', 'released', 'remoteSeq', 'remoteTag', 'remoteTarget', 'renegotiate'],
  ...['reoffered', 'repeated', 'replaced', 'replaceMicrophone', 'replyTo', 'requestArrived', 'resend'],
  ...['respond', 'responded', 'responseArrived', 'restart', 'restarted', 'restartRefused', 'rollBack'],
  ...['routeSet', 'running', 'seat', 'sender', 'session', 'settle', 'shown', 'silence', 'slot', 'stamped'],
  ...['step', 'succeeded', 'table', 'takeExpired', 'takeMicrophone', 'takeRemoteSeq', 'timers'],
  ...['tokenWillExpire', 'toTag', 'transportFailed', 'unregistered', 'userAgent', 'waits', 'wake', 'wasOpen'],
  ...['begin', 'head', 'held', 'output', 'queue', 'request', 'services', 'timer', 'woke', 'word'],
  ...['ackTaken', 'acceptSent', 'answeredInvite', 'adoptFrom', 'endNow', 'keepPending', 'mayAccept', 'moveOn'],
  ...['offerState', 'openRequest', 'pendingRequest', 'refusalOf', 'takePending', 'withdrawPending'],
  ...['abandon', 'began', 'bind', 'enter', 'giveBack', 'moved', 'nextSeq', 'reanswer', 'release', 'revoked', 'unix'],
]

/** The browser SDK as one minified ES module, and its source map. */
export async function bundleSdk(): Promise<{ readonly code: string; readonly map: string }> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: 'sauti-phone.js',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    mangleProps: new RegExp(`^(?:${internalNames.join('|')})$`),
    sourcemap: 'external',
    legalComments: 'none',
    plugins: [pureModules, plainMaps],
    write: false,
    logLevel: 'silent',
  })
  const text = (suffix: string) => outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? ''
  return { code: text('.js'), map: text('.map') }
}

let made: Promise<string> | undefined

/** The SDK as this switch serves it: made from its source once, in memory, in a source tree; the built file in a package. */
export function sdkCode(): Promise<string> {
  if (made === undefined) {
    made = existsSync(entry) ? bundleSdk().then(({ code }) => code, builtCode) : builtCode()
    // The next request tries again.
    made.catch(() => {
      made = undefined
    })
  }
  return made
}

/** `fault`: why the source was of no use, as where only what runs is installed. */
async function builtCode(fault?: unknown): Promise<string> {
  if (fault !== undefined && !existsSync(builtSdk)) throw fault
  return readFileSync(builtSdk, 'utf8')
}
