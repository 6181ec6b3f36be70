import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AssetUpload } from '../../../../core/adapters/store/asset-upload.ts'
import { Assets } from '../../../../core/adapters/store/assets.ts'
import { StoreError } from '../../../../core/adapters/store/errors.ts'
import type { AccountUuid } from '../../../../core/model/ids.ts'

const account = 'account' as AccountUuid
const facts = { mediaFormat: 'wav', durationMs: 1000 }

/** Rows in memory; `room` is what the account may still store. */
function assetsWith(room = Number.POSITIVE_INFINITY) {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-upload-'))
  const asked: number[] = []
  const stored: string[] = []
  const rows = {
    makeRoom: async (_account: AccountUuid, _slug: string, bytes: number) => {
      asked.push(bytes)
      if (bytes > room) throw new StoreError('store.quota', 'full')
    },
    put: async (_account: AccountUuid, asset: { readonly slug: string }) => void stored.push(asset.slug),
  }
  const assets = new Assets(rows as unknown as ConstructorParameters<typeof Assets>[0], folder)
  return { assets, folder, asked, stored, files: () => readdirSync(folder, { recursive: true }).map(String) }
}

const settle = async () => {
  for (let at = 0; at < 20; at++) await new Promise(resolve => setImmediate(resolve))
}

test('what arrives in pieces is stored whole, in order, and readable before it is placed', async () => {
  const { assets, folder, stored } = assetsWith()
  const pieces = Array.from({ length: 40 }, (_, at) => Buffer.alloc(64 * 1024 + at, at))
  const whole = Buffer.concat(pieces)
  await assets.receive(account, 'tone', whole.length, 0, async upload => {
    for (const piece of pieces) await upload.write(piece)
    assert.ok((await upload.bytes()).equals(whole))
    return facts
  })
  assert.equal(stored, ['tone'])
  assert.ok(readFileSync(join(folder, account, 'tone')).equals(whole))
  assert.equal(readdirSync(join(folder, account)), ['tone'])
  rmSync(folder, { recursive: true })
})

test('each megabyte is synced in its turn, and the whole before it is placed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-upload-'))
  let turns = 0
  let running = 0
  let most = 0
  const inTurn = async (work: () => Promise<void>) => {
    turns++
    most = Math.max(most, ++running)
    await work()
    running--
  }
  const upload = await AssetUpload.open(join(folder, 'a'), inTurn)
  for (let piece = 0; piece < 40; piece++) await upload.write(Buffer.alloc(64 * 1024))
  assert.equal([turns, most], [2, 1], '2.5 MB')
  await upload.place()
  assert.is(turns, 4, 'the rest, and what the name needs')
  await upload.close()
  rmSync(folder, { recursive: true })
})

test('nothing is left of an upload that is refused', async () => {
  const { assets, folder, stored } = assetsWith()
  let refused = false
  try {
    await assets.receive(account, 'tone', 10, 0, async upload => {
      await upload.write(Buffer.alloc(10))
      throw new Error('no audio')
    })
  } catch {
    refused = true
  }
  assert.ok(refused)
  assert.equal(readdirSync(join(folder, account)), [])
  assert.equal(stored, [])
  rmSync(folder, { recursive: true })
})

test('an announced upload that has no room is refused before a byte of it is read', async () => {
  const { assets, folder, files } = assetsWith(100)
  let isRead = false
  let code: string | undefined
  try {
    await assets.receive(account, 'tone', 101, 0, async () => {
      isRead = true
      return facts
    })
  } catch (fault) {
    code = (fault as StoreError).code
  }
  assert.is(code, 'store.quota')
  assert.is(isRead, false)
  assert.equal(files(), [])
  rmSync(folder, { recursive: true })
})

test('bytes that arrive side by side count together, and no more when they have gone', async () => {
  const { assets, folder, asked } = assetsWith()
  let finish: () => void = () => {}
  const first = assets.receive(account, 'a', 70, 0, async upload => {
    await new Promise<void>(resolve => {
      finish = resolve
    })
    await upload.write(Buffer.alloc(70))
    return facts
  })
  await settle()
  await assets.put(account, 'b', Buffer.alloc(5), facts, 0)
  assert.equal(asked, [70, 75])
  finish()
  await first
  await assets.put(account, 'c', Buffer.alloc(5), facts, 0)
  assert.is(asked.at(-1), 5)
  rmSync(folder, { recursive: true })
})

test('an account has four uploads under way; its fifth waits, another account’s does not', async () => {
  const { assets, folder } = assetsWith()
  const begun: string[] = []
  const finish: (() => void)[] = []
  const receive = (of: string, slug: string) =>
    assets.receive(of as AccountUuid, slug, 1, 0, async upload => {
      begun.push(`${of} ${slug}`)
      await new Promise<void>(resolve => finish.push(resolve))
      await upload.write(Buffer.alloc(1))
      return facts
    })
  const all = ['a', 'b', 'c', 'd', 'e'].map(slug => receive('one', slug))
  all.push(receive('two', 'a'))
  while (begun.length < 5) await settle()
  await settle()
  assert.equal(begun.toSorted(), ['one a', 'one b', 'one c', 'one d', 'two a'])
  for (const end of finish.splice(0)) end()
  while (begun.length < 6) await settle()
  for (const end of finish.splice(0)) end()
  await Promise.all(all)
  rmSync(folder, { recursive: true })
})

test.run()
