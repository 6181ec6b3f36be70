import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../system/make-folder.ts'
import { writeSecret } from '../system/write-secret.ts'

const signingKeyFile = 'signing.key'
const keyBytes = 32

export type SigningPurpose = 'phone-token' | 'recording-link' | 'stream-token'

/** One secret of the data folder, made at first use and readable for this user only; each purpose has a key of its own. */
export function openSigningKeys(folder: string): (purpose: SigningPurpose) => KeyObject {
  const master = findMaster(folder) ?? makeMaster(folder)
  return purpose => createSecretKey(Buffer.from(hkdfSync('sha256', master, '', `sauti ${purpose}`, keyBytes)))
}

/** With the code by which a start says why it fails. */
class UnusableKey extends Error {
  readonly code = 'store.unusable'
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
  if (master.length < keyBytes)
    throw new UnusableKey(
      `${join(folder, signingKeyFile)} holds no key of ${keyBytes} bytes: restore it from a backup, or delete it (phone tokens and links of recordings that were given out are void then)`,
    )
  return master
}

function makeMaster(folder: string): Buffer {
  const master = randomBytes(keyBytes)
  makeFolder(folder)
  writeSecret(join(folder, signingKeyFile), `${master.toString('base64url')}\n`)
  return master
}
