import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { BrowserPhone, makeUser, mint, type PhoneUser } from '../peers/browser-phone.ts'
import { ownAddress } from '../probes/own-address.ts'
import type { BedAccount } from './account.ts'
import { requirePeers } from './debian.ts'
import { SwitchBed } from './switch-bed.ts'
import type { SwitchProcess } from './switch-process.ts'

export interface PhoneBed {
  readonly on: SwitchProcess
  readonly account: BedAccount
  readonly user: PhoneUser
  readonly other: PhoneUser
  readonly phone: BrowserPhone
  /** The verbs of calls that begin from now on. */
  document(verbs: string): void
  /** A new Phone of these options, signed in. */
  signedIn(options?: Record<string, unknown>): Promise<void>
  /** What the SDK has logged since it was last asked. */
  logged(): Promise<readonly string[]>
}

/** For the tests of a suite: a switch, two of its end-users, and a browser with the SDK. Each test ends its calls. */
export function phoneBed<Context>(suite: Test<Context>, args: readonly string[] = []): PhoneBed {
  let opened: Opened | undefined
  const get = (): Opened => {
    if (opened === undefined) throw new Error('the bed is not open')
    return opened
  }
  suite.before(async () => {
    opened = await open(args)
  })
  suite.after(async () => {
    await opened?.phone.close()
    await opened?.bed.close()
  })
  suite.after.each(async () => {
    await get().phone.evaluate('bed.phone?.calls.forEach(call => call.hangup())')
    await get().phone.evaluate('bed.phone?.unregister()')
  })
  return {
    get on() {
      return get().bed.on
    },
    get account() {
      return get().bed.account
    },
    get user() {
      return get().users[0]
    },
    get other() {
      return get().users[1]
    },
    get phone() {
      return get().phone
    },
    document: verbs => get().bed.customer.on('/out', `<Response>${verbs}</Response>`),
    async signedIn(options = {}) {
      const { bed, phone, users } = get()
      await phone.run('load', { iceServers: [], ...options })
      assert.is(await phone.signIn(await mint(bed.account, users[0])), 'registered')
    },
    logged: () => get().phone.evaluate('bed.log.splice(0)'),
  }
}

interface Opened {
  readonly bed: SwitchBed
  readonly users: readonly [PhoneUser, PhoneUser]
  readonly phone: BrowserPhone
}

async function open(args: readonly string[]): Promise<Opened> {
  requirePeers('chromium', 'espeak-ng')
  const bed = await SwitchBed.open({ env: { SAUTI_EXTERNAL_ADDRESS: ownAddress() } })
  const { account, customer, on } = bed
  await account.webhook('voice_outbound', customer.url('/out'))
  const users = [await makeUser(account, 'Amina'), await makeUser(account, 'Juma')] as const
  return { bed, users, phone: await BrowserPhone.launch(on.baseUrl, 600, {}, { args }) }
}
