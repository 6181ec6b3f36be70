import { formatPlace } from '../address/address.ts'
import type { BrowserLink } from '../browser/browser-link.ts'
import type { BrowserDump, SessionDump, SrtpDump } from '../contract/session-dump.ts'
import type { Entry } from './session-table.ts'

/** A session and what protects it; undefined while its ports are being bound. */
export function dumpOfSession({ session, link, keyed }: Entry, now: number): SessionDump | undefined {
  if (session === undefined) return undefined
  const own = session.dump(now)
  return {
    session: own.session,
    localPort: own.localPort,
    ssrc: own.ssrc,
    sendPipeline: own.sendPipeline,
    sendSource: own.sendSource,
    receivePipeline: own.receivePipeline,
    agreement: own.agreement,
    source: own.source,
    jitterBuffer: own.jitterBuffer,
    srtp: link === undefined ? (keyed?.dump ?? plain) : srtpOf(link),
    browser: link && browserOf(link),
    bridgedWith: own.bridgedWith,
    stats: own.stats,
  }
}

const plain: SrtpDump = { state: 'plain', suite: undefined }

const srtpOf = ({ isSecure, suite }: BrowserLink): SrtpDump => ({ state: isSecure ? 'protected' : 'waits', suite })

function browserOf({ agent, dtlsState }: BrowserLink): BrowserDump {
  const { selected, paths, counters } = agent
  return {
    selected: selected === undefined ? '' : formatPlace(selected.address, selected.port),
    paths: paths.length,
    checks: counters.checks,
    dropped: counters.dropped,
    dtls: dtlsState,
  }
}
