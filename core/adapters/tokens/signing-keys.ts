import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../system/make-folder.ts'

const signingKeyFile = 'signing.key'
const keyBytes = 32

export type SigningPurpose = 'phone-token' | 'recording-link' | 'stream-token'

/** One secret of the data folder, made at first use and readable for this user only; each purpose has a key of its own. */
export function openSigningKeys(folder: string): (purpose: SigningPurpose) => KeyObject {
  const master = findMaster(folder) ?? makeMaster(folder)
  return purpose => createSecretKey(Buffer.from(hkdfSync('sha256', master, '', `sauti ${purpose}`, keyBytes)))
}

function findMaster(folder: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, signingKeyFile), 'utf8').trim()
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
  const master = Buffer.from(text, 'base64url')
  // A key that was cut short would sign, and be guessed.
  if (master.length < keyBytes) throw new Error(`${join(folder, signingKeyFile)} holds no key of ${keyBytes} bytes`)
  return master
}

function makeMaster(folder: string): Buffer {
  const master = randomBytes(keyBytes)
  makeFolder(folder)
  writeFileSync(join(folder, signingKeyFile), `${master.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  return master
}
