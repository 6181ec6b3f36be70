import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { KnownProfiles, type ProfileScope, profileScopeOf } from '../../../../core/adapters/store/known-profiles.ts'
import { lanes } from '../../../../core/adapters/store/served.ts'
import type { AccountProfile, OwnedNumber } from '../../../../core/model/account.ts'
import type { HostedDocumentRecord } from '../../../../core/model/hosted-document.ts'
import type { AccountUuid } from '../../../../core/model/ids.ts'

const test = suite('profiles that the signalling thread keeps')

const uuid = 'account-1' as AccountUuid
const other = 'account-2' as AccountUuid
const stored = [254201000001, 254201000002, 254201000009]

/** A store whose answers can be held back, and that counts what it is asked. */
class FakeReads {
  readonly asked: string[] = []
  name = 'first'
  body = '<Response/>'
  isThere = true
  held: Promise<void> = Promise.resolve()

  readonly calls = {
    account: (id: AccountUuid) => this.#answer(`account ${id}`, () => this.#account(id)),
    numberOwner: (e164: string) =>
      this.#answer(`owner ${e164}`, () => ({ account: this.#account(uuid), number: this.#number(e164) })),
    ownedNumber: (id: AccountUuid, e164: string) => this.#answer(`owned ${id} ${e164}`, () => this.#number(e164)),
  }
  readonly documents = {
    byUrl: (url: string) => this.#answer(`document ${url}`, () => ({ body: this.body }) as HostedDocumentRecord),
  }

  async #answer<T>(question: string, read: () => T): Promise<T | undefined> {
    this.asked.push(question)
    // What was read is as old as the question, however late the answer comes.
    const answer = this.isThere ? read() : undefined
    await this.held
    return answer
  }

  #account(id: AccountUuid): AccountProfile {
    return { uuid: id, name: this.name } as AccountProfile
  }

  #number(e164: string): OwnedNumber {
    return { number: e164 } as OwnedNumber
  }
}

test('an account, a number and a document are read once', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, stored)
  for (let time = 0; time < 2; time++) {
    assert.is((await profiles.account(uuid))?.name, 'first')
    assert.is((await profiles.numberOwner('+254201000001'))?.number.number, '+254201000001')
    assert.is((await profiles.byUrl('https://here/documents/1'))?.body, '<Response/>')
  }
  assert.equal(reads.asked, ['account account-1', 'owner +254201000001', 'document https://here/documents/1'])
})

test('the owner of a number is known at once after it was read, until something changes', async () => {
  const profiles = new KnownProfiles(new FakeReads(), stored)
  assert.is(profiles.knownOwner('+254201000001'), undefined)
  await profiles.numberOwner('+254201000001')
  assert.is(profiles.knownOwner('+254201000001')?.number.number, '+254201000001')
  profiles.changed({ type: 'all' })
  assert.is(profiles.knownOwner('+254201000001'), undefined)
})

test('a number whose owner is known is not asked for, and belongs to no other account', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, stored)
  await profiles.numberOwner('+254201000001')
  assert.is((await profiles.ownedNumber(uuid, '+254201000001'))?.number, '+254201000001')
  assert.is(await profiles.ownedNumber(other, '+254201000001'), undefined)
  assert.is(reads.asked.length, 1)
})

test('after a change everything is read again', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, stored)
  await profiles.account(uuid)
  await profiles.numberOwner('+254201000001')
  await profiles.byUrl('https://here/documents/1')
  reads.name = 'second'
  reads.body = '<Response><Hangup/></Response>'
  profiles.changed({ type: 'all' })
  assert.is((await profiles.account(uuid))?.name, 'second')
  assert.is((await profiles.numberOwner('+254201000001'))?.account.name, 'second')
  assert.is((await profiles.byUrl('https://here/documents/1'))?.body, '<Response><Hangup/></Response>')
})

test('what was read before a change and answered after it is not kept', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, stored)
  const { promise, resolve } = Promise.withResolvers<void>()
  reads.held = promise
  const early = profiles.account(uuid)
  reads.name = 'second'
  profiles.changed({ type: 'all' })
  resolve()
  assert.is((await early)?.name, 'first')
  assert.is((await profiles.account(uuid))?.name, 'second')
})

test('a number that is not stored is not asked for, until it is added', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, stored)
  for (const e164 of ['+254201000003', '+25420100000', '+0', 'anonymous', '']) {
    assert.is(await profiles.numberOwner(e164), undefined)
    assert.is(await profiles.ownedNumber(uuid, e164), undefined)
  }
  assert.equal(reads.asked, [])
  profiles.changed(profileScopeOf('numbers', 'add', ['+254201000003', 0, 0]))
  assert.is((await profiles.numberOwner('+254201000003'))?.number.number, '+254201000003')
  await profiles.ownedNumber(uuid, '+254201000002')
  assert.equal(reads.asked, ['owner +254201000003', 'owned account-1 +254201000002'])
})

test('numbers of 15 digits are distinguished', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, [999999999999999])
  await profiles.numberOwner('+999999999999998')
  assert.equal(reads.asked, [])
  await profiles.numberOwner('+999999999999999')
  assert.equal(reads.asked, ['owner +999999999999999'])
})

test('a number that was removed is asked for each time', async () => {
  const reads = new FakeReads()
  reads.isThere = false
  const profiles = new KnownProfiles(reads, stored)
  await profiles.numberOwner('+254201000009')
  assert.is(await profiles.numberOwner('+254201000009'), undefined)
  assert.is(reads.asked.length, 2)
})

test('a long document is not kept, and neither are more than 5,000 numbers', async () => {
  const reads = new FakeReads()
  const many = Array.from({ length: 5001 }, (_, at) => Number(`2542${at}`))
  const profiles = new KnownProfiles(reads, many)
  reads.body = 'x'.repeat(4097)
  await profiles.byUrl('https://here/documents/1')
  await profiles.byUrl('https://here/documents/1')
  assert.is(reads.asked.length, 2)
  for (let at = 0; at <= 5000; at++) await profiles.numberOwner(`+2542${at}`)
  assert.is(reads.asked.length, 5003)
  await profiles.numberOwner('+25425000')
  assert.is(reads.asked.length, 5003)
  await profiles.numberOwner('+25420')
  assert.is(reads.asked.length, 5004)
})

test('what one account changes is not read again for others', async () => {
  const reads = new FakeReads()
  const profiles = new KnownProfiles(reads, stored)
  const numbers = ['+254201000001', '+254201000002']
  const readAll = async () => {
    await profiles.account(other)
    for (const number of numbers) await profiles.numberOwner(number)
    await profiles.byUrl('https://here/documents/1')
    return reads.asked.splice(0)
  }
  assert.is((await readAll()).length, 4)
  profiles.changed({ type: 'nothing' })
  assert.equal(await readAll(), [])
  profiles.changed({ type: 'documents' })
  assert.equal(await readAll(), ['document https://here/documents/1'])
  profiles.changed({ type: 'accounts', uuids: [other] })
  assert.equal(await readAll(), ['account account-2'])
  profiles.changed({ type: 'accounts', uuids: [uuid] })
  assert.equal(await readAll(), ['owner +254201000001', 'owner +254201000002'])
})

test('a change of another account, or of a document, does not outdate what is just read', async () => {
  const outdating: readonly (readonly [ProfileScope, number])[] = [
    [{ type: 'documents' }, 1],
    [{ type: 'accounts', uuids: [other] }, 1],
    [{ type: 'accounts', uuids: [other, uuid] }, 2],
    [{ type: 'all' }, 2],
  ]
  for (const [scope, times] of outdating) {
    const reads = new FakeReads()
    const profiles = new KnownProfiles(reads, stored)
    const { promise, resolve } = Promise.withResolvers<void>()
    reads.held = promise
    const early = profiles.numberOwner('+254201000001')
    profiles.changed(scope)
    resolve()
    await early
    await profiles.numberOwner('+254201000001')
    assert.is(reads.asked.length, times, JSON.stringify(scope))
  }
})

test('what writes may change of a profile', () => {
  const insert = { type: 'recording.insert', recording: { accountUuid: uuid } }
  const update = { type: 'recording.update', accountUuid: other }
  assert.equal(profileScopeOf('calls', 'commit', [[{ type: 'call.update' }, { type: 'hold.settle' }], 0]), {
    type: 'nothing',
  })
  assert.equal(profileScopeOf('calls', 'commit', [[{ type: 'call.update' }, insert, update], 0]), {
    type: 'accounts',
    uuids: [uuid, other],
  })
  const writes = Object.entries(lanes).flatMap(([part, methods]) =>
    Object.entries(methods).flatMap(([method, lane]) => (lane === 'write' ? [`${part}.${method}`] : [])),
  )
  const changing = writes.flatMap(name => {
    const [part = '', method = ''] = name.split('.')
    const { type } = name === 'calls.commit' ? { type: 'nothing' } : profileScopeOf(part, method, [uuid])
    return type === 'nothing' ? [] : [`${name}: ${type}`]
  })
  assert.equal(changing.sort(), [
    'accounts.change: accounts',
    'documents.change: documents',
    'documents.remove: documents',
    'numbers.add: number-added',
    'numbers.configure: accounts',
    'numbers.release: accounts',
    'recordings.purged: all',
    'recordings.remove: accounts',
    'webhookSettings.change: accounts',
    'webhookSettings.rotate: accounts',
  ])
})

test.run()
