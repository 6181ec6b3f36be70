import type { IncomingMessage } from 'node:http'
import type { Settings } from '../../model/settings.ts'

const loopback = /^https?:\/\/(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/

type OriginSettings = Pick<Settings, 'allowedOrigins' | 'publicUrl'> & { readonly sip: Pick<Settings['sip'], 'realm'> }

/**
 * Whether a page of this origin may open a WebSocket here (docs/phones.md, "Limits of a WebSocket"): pages of this server, those that the operator
 * lists, and those of the reader's own machine, where applications are written. A program that is no browser sends none.
 */
export function isAllowedOrigin({ headers }: Pick<IncomingMessage, 'headers'>, settings: OriginSettings): boolean {
  const asked = headers.origin?.toLowerCase()
  if (asked === undefined) return true
  const { allowedOrigins, publicUrl } = settings
  return (
    allowedOrigins.includes('*') ||
    allowedOrigins.includes(asked) ||
    asked === new URL(publicUrl).origin ||
    // By whichever of its names this server was called, its own pages call it the same.
    (asked.replace(/^https?:\/\//, '') === headers.host?.toLowerCase() && isOwnName(asked, settings)) ||
    loopback.test(asked)
  )
}

/**
 * A foreign name can be made to lead to this machine (DNS rebinding), and its own pages would then look like ours: so
 * a name has to be that of the public URL or of the SIP domain. An address cannot be made to lead here.
 */
function isOwnName(origin: string, { publicUrl, sip }: OriginSettings): boolean {
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  const isLiteral = /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname) || hostname.startsWith('[')
  return isLiteral || hostname === new URL(publicUrl).hostname || hostname === sip.realm.toLowerCase()
}
