import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Settings } from '../../model/settings.ts'

export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** The files of the settings are no certificate with its key. */
class TlsIdentityError extends Error {
  readonly code = 'tls.identity'
}

/**
 * The certificate and key of the listeners over TLS, read and tried. Throws with the setting's name when a listener
 * needs them and they are missing, unreadable, or do not belong together.
 */
export function readTlsIdentity({ tls, sip }: Pick<Settings, 'tls' | 'sip'>): TlsIdentity | undefined {
  const needy = sip.listeners.find(({ transport }) => transport === 'tls' || transport === 'wss')
  if (tls === undefined) {
    if (needy === undefined) return undefined
    throw new TlsIdentityError(
      `SAUTI_SIP: ${needy.transport}: needs a certificate: set SAUTI_TLS_CERT and SAUTI_TLS_KEY`,
    )
  }
  const identity = { cert: read('SAUTI_TLS_CERT', tls.certFile), key: read('SAUTI_TLS_KEY', tls.keyFile) }
  try {
    createSecureContext(identity)
  } catch (cause) {
    throw new TlsIdentityError(`SAUTI_TLS_CERT, SAUTI_TLS_KEY: no certificate with its key: ${messageOf(cause)}`, {
      cause,
    })
  }
  return identity
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new TlsIdentityError(`${name}: ${messageOf(cause)}`, { cause })
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
