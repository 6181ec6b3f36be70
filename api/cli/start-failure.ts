import { resolve } from 'node:path'
import { ListenError, type Settings, StoreError, unusableStore } from '../../core/index.ts'

type SystemError = NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string }

/** Why the switch could not start, in one sentence that says what to do. Undefined for a fault of ours. */
export function startFailure(fault: unknown, settings: Settings): string | undefined {
  for (let each: unknown = fault; each instanceof Error; each = each.cause) {
    const { code, port, address, path, hostname } = each as SystemError
    if (path !== undefined && resolve(path).startsWith(resolve(settings.dataFolder))) {
      const failure = unusableStore(settings.dataFolder, each)
      if (failure instanceof StoreError) return failure.message
    }
    const setting = each instanceof ListenError ? 'SAUTI_SIP (--sip)' : 'SAUTI_HTTP (--http)'
    const host = address?.includes(':') === true ? `[${address}]` : (address ?? '')
    const place = port === undefined ? each.message : `${host}:${port}`
    switch (code) {
      case 'EADDRINUSE':
        return `${place} is in use by another program: stop it, or choose another with ${setting}`
      case 'EACCES':
        return port === undefined
          ? `no permission: ${each.message}`
          : `${place} may not be opened by this user: choose a port above 1023 with ${setting}`
      case 'ENOSPC':
      case 'EROFS':
        return `${code === 'ENOSPC' ? 'the disk is full' : 'the disk is read-only'}: ${each.message}`
      case 'EADDRNOTAVAIL':
        return `${place} is no address of this machine: change ${setting}`
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `${host === '' ? (hostname ?? '') : host} has no address: write an IP address into ${setting}`
      case 'store.locked':
        return `the data folder ${settings.dataFolder} is in use by another sauti: stop it, or choose another with SAUTI_DATA (--data)`
      case 'store.too-new':
      case 'store.not-ready':
      case 'store.unusable':
      case 'tls.identity':
        return each.message
    }
  }
  return fault instanceof ListenError ? fault.message : undefined
}
