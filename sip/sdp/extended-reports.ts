import { attributeOf } from './attributes.ts'
import type { Attribute, MediaDescription, SessionDescription } from './session.ts'

/** What `a=rtcp-xr` names of the extended RTCP reports that we know (RFC 3611 §5.1). */
export interface ExtendedReports {
  /** Its writer wants reports of how it is received (§4.7). */
  readonly voipMetrics: boolean
  /** Sides that measure the round trip without sending media themselves: all, or senders only (§4.4). */
  readonly receiverTime: 'all' | 'sender' | undefined
}

const attribute = 'rtcp-xr'
/** `rcvr-rtt=all`, perhaps with a largest size, which our few blocks never reach. */
const receiverTime = /^rcvr-rtt=(all|sender)(?::\d{1,10})?$/

/** What our offers name. */
export const ownExtendedReports: ExtendedReports = { voipMetrics: true, receiverTime: 'all' }

/** Extended reports of the stream, else of the session; undefined: there are none, or none that we know. */
export function extendedReportsOf(session: SessionDescription, media: MediaDescription): ExtendedReports | undefined {
  const value = attributeOf(media.attributes, attribute) ?? attributeOf(session.attributes, attribute)
  if (value === undefined) return undefined
  const formats = value.trim().split(/\s+/)
  const voipMetrics = formats.includes('voip-metrics')
  const mode = formats.flatMap(format => receiverTime.exec(format)?.[1] ?? [])[0]
  if (!voipMetrics && mode === undefined) return undefined
  return { voipMetrics, receiverTime: mode === 'all' || mode === 'sender' ? mode : undefined }
}

/** What names them. */
export const extendedReportsAttribute = ({ voipMetrics, receiverTime }: ExtendedReports): Attribute => {
  const mode = receiverTime === undefined ? '' : `rcvr-rtt=${receiverTime}`
  const metrics = voipMetrics ? 'voip-metrics' : ''
  return { name: attribute, value: mode !== '' && metrics !== '' ? `${mode} ${metrics}` : `${mode}${metrics}` }
}
