import type { IncomingMessage } from 'node:http'
import type { Settings } from '../../model/settings.ts'

const loopback = /^https?:\/\/(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/

/**
 * Whether a page of this origin may open a WebSocket here (decisions §1): pages of this server, those that the operator
 * lists, and those of the reader's own machine, where applications are written. A program that is no browser sends none.
 */
export function isAllowedOrigin(
  { headers }: Pick<IncomingMessage, 'headers'>,
  settings: Pick<Settings, 'allowedOrigins' | 'publicUrl'>,
): boolean {
  const asked = headers.origin?.toLowerCase()
  if (asked === undefined) return true
  const { allowedOrigins, publicUrl } = settings
  return (
    allowedOrigins.includes('*') ||
    allowedOrigins.includes(asked) ||
    asked === new URL(publicUrl).origin ||
    // However this server was called, its own pages call it the same.
    asked.replace(/^https?:\/\//, '') === headers.host?.toLowerCase() ||
    loopback.test(asked)
  )
}
