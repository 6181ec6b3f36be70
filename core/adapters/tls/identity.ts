import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { needsCertificate, type Settings } from '../../model/settings.ts'
import type { Log } from '../../ports/log.ts'
import { identityFault, type TlsIdentity, validityFault } from './identity-fault.ts'

/** The files of the settings are no certificate with its key. */
class TlsIdentityError extends Error {
  readonly code = 'tls.identity'
}

/** How often the files are looked at: certificates are replaced by renaming, which no file watcher reports reliably. */
const lookMs = 5000

/**
 * The certificate of every listener over TLS, read at the start and again whenever its files change. A pair that does not
 * belong together, as between the two steps of a replacement, is not taken: the former one stays.
 */
export class TlsIdentityFiles {
  readonly #files: NonNullable<Settings['tls']>
  readonly #log: Log
  readonly #listeners = new Set<(identity: TlsIdentity) => void>()
  readonly #timer: NodeJS.Timeout
  #current: TlsIdentity
  #expiresUnix: number
  #seen = ''
  #refused = ''

  private constructor(files: NonNullable<Settings['tls']>, identity: TlsIdentity, log: Log) {
    this.#files = files
    this.#log = log
    this.#current = identity
    this.#expiresUnix = expiryOf(identity)
    this.#reportValidity()
    this.#timer = setInterval(() => void this.look(), lookMs).unref()
    void this.look()
  }

  /**
   * Undefined when no certificate is set. Throws with the setting's name when a listener needs one and it is missing,
   * unreadable, or does not belong to its key.
   */
  static open(settings: Pick<Settings, 'tls' | 'sip' | 'http'>, log: Log): TlsIdentityFiles | undefined {
    const { tls, sip, http } = settings
    if (tls !== undefined) return new TlsIdentityFiles(tls, readIdentity(tls), log)
    const needy = sip.listeners.find(needsCertificate)
    const listener = needy === undefined ? undefined : (['SAUTI_SIP', needy.transport] as const)
    const [name, scheme] = listener ?? (http.some(each => each.scheme === 'https') ? ['SAUTI_HTTP', 'https'] : [])
    if (name === undefined) return undefined
    throw new TlsIdentityError(`${name}: ${scheme}: needs a certificate: set SAUTI_TLS_CERT and SAUTI_TLS_KEY`)
  }

  get current(): TlsIdentity {
    return this.#current
  }

  /** End of the certificate's validity, Unix ms. */
  get expiresUnix(): number {
    return this.#expiresUnix
  }

  /** Calls `replaced` with every new certificate. Returns what ends it. */
  onReplaced(replaced: (identity: TlsIdentity) => void): () => void {
    this.#listeners.add(replaced)
    return () => this.#listeners.delete(replaced)
  }

  /** Reads the files when they are others than before. Never rejects. */
  async look(): Promise<void> {
    try {
      const { certFile, keyFile } = this.#files
      const stats = await Promise.all([stat(certFile), stat(keyFile)])
      const seen = stats.map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join()
      if (seen === this.#seen) return
      const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
      const identity = checked({ cert, key }, this.#files)
      this.#seen = seen
      this.#refused = ''
      if (cert === this.#current.cert && key === this.#current.key) return
      this.#current = identity
      this.#expiresUnix = expiryOf(identity)
      this.#log.info({ expires: new Date(this.#expiresUnix).toISOString() }, 'the TLS certificate was replaced')
      this.#reportValidity()
      for (const replaced of this.#listeners) replaced(identity)
    } catch (fault) {
      // Reported once: between two steps of a replacement it is not worth more, and later it would fill the log.
      const detail = messageOf(fault)
      if (detail !== this.#refused)
        this.#log.warn({ detail }, 'the TLS certificate on the disk cannot be used; the former one stays')
      this.#refused = detail
    }
  }

  #reportValidity(): void {
    const fault = validityFault(this.#current.cert, Date.now())
    if (fault !== undefined) this.#log.error({ file: this.#files.certFile }, fault)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#listeners.clear()
  }
}

/** The certificate and key of the files, read and tried. Throws with the name of the setting that is wrong. */
function readIdentity({ certFile, keyFile }: NonNullable<Settings['tls']>): TlsIdentity {
  const files = { certFile, keyFile }
  return checked({ cert: read('SAUTI_TLS_CERT', certFile), key: read('SAUTI_TLS_KEY', keyFile) }, files)
}

function checked(identity: TlsIdentity, files: NonNullable<Settings['tls']>): TlsIdentity {
  const fault = identityFault(identity, files)
  if (fault !== undefined) throw new TlsIdentityError(fault)
  return identity
}

/** End of validity of the first certificate of the chain, Unix ms. */
const expiryOf = ({ cert }: Pick<TlsIdentity, 'cert'>): number => new X509Certificate(cert).validToDate.getTime()

const readFaults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: "the switch's user may not read it (chown, chmod 640)",
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const reason = readFaults[code]
    const text = reason === undefined ? messageOf(cause) : `${reason} (${code})`
    throw new TlsIdentityError(`${name}: ${file} cannot be read: ${text}`, { cause })
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
