import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

const registered = new Set<string>()
const bed = await ApiBed.open({}, { isRegistered: uuid => registered.has(uuid) })
const unknownUuid = '00000000-0000-4000-8000-000000000000'
const create = (body: object) => bed.customer('POST', '/users/create', body)
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other', wallet_balance: '10' })).body

test('an end-user gets the next extension of the whole switch', async () => {
  const amina = await create({ email: 'amina@example.com', display_name: 'Amina' })
  assert.is(amina.status, 201)
  assert.equal(
    { ...amina.body, uuid: '', created_at: '' },
    {
      uuid: '',
      extension_number: '1001',
      email: 'amina@example.com',
      display_name: 'Amina',
      is_active: true,
      is_registered: false,
      created_at: '',
    },
  )
  const foreign = await bed.conforming('POST', '/users/create', { key: other.key, body: { email: 'b@example.com' } })
  assert.equal([foreign.body.extension_number, foreign.body.display_name], ['1002', ''])
  assert.equal((await bed.customer('GET', '/users')).body, [amina.body])
})

test('an email is unique within its account, whatever its case', async () => {
  for (const email of ['amina@example.com', 'Amina@Example.com']) assert.is((await create({ email })).status, 409)
  const same = { email: 'amina@example.com' }
  assert.is((await bed.conforming('POST', '/users/create', { key: other.key, body: same })).status, 201)
})

test('what is no email, no name, no body', async () => {
  for (const body of [
    {},
    { email: '' },
    { email: 'x' },
    { email: 'a b@example.com' },
    { email: 'a@b@c' },
    { email: `${'a'.repeat(250)}@b.ke` },
    { email: 7 },
    { email: null },
    { email: 'ok@example.com', display_name: 7 },
    { email: 'ok@example.com', display_name: 'two\nlines' },
    { email: 'ok@example.com', display_name: 'x'.repeat(201) },
  ]) {
    const refused = await create(body)
    assert.is(refused.status, 422, JSON.stringify(body))
    assert.ok(['email', 'display_name'].includes(refused.body.errors[0].field))
  }
})

test('update changes only what is sent', async () => {
  const [{ uuid }] = (await bed.customer('GET', '/users/')).body
  const update = (body: object) => bed.customer('POST', '/users/update', { uuid, ...body })
  assert.equal((await update({ display_name: 'A. Wanjiru' })).body.display_name, 'A. Wanjiru')
  const off = await update({ is_active: false, display_name: null })
  assert.equal([off.body.is_active, off.body.display_name], [false, 'A. Wanjiru'])
  assert.equal((await update({ is_active: null })).body.is_active, false)
  assert.equal((await update({ is_active: true, display_name: '' })).body.display_name, '')
  registered.add(uuid)
  assert.is((await update({})).body.is_registered, true)
  assert.is((await bed.customer('GET', '/users/')).body[0].is_registered, true)
  registered.clear()
  assert.is((await update({ is_active: 'no' })).status, 422)
  assert.is((await bed.customer('POST', '/users/update', { uuid: unknownUuid })).status, 404)
  const theirs = await bed.conforming('POST', '/users/update', { key: other.key, body: { uuid, display_name: 'x' } })
  assert.is(theirs.status, 404)
})

test('delete: gone, and its extension is not given to another', async () => {
  const made = (await create({ email: 'gone@example.com' })).body
  const remove = (uuid: string) => bed.customer('POST', '/users/delete', { uuid })
  assert.is((await bed.conforming('POST', '/users/delete', { key: other.key, body: { uuid: made.uuid } })).status, 404)
  assert.is((await remove(made.uuid)).status, 200)
  assert.is((await remove(made.uuid)).status, 404)
  assert.is((await remove(unknownUuid)).status, 404)
  const again = (await create({ email: 'gone@example.com' })).body
  assert.ok(Number(again.extension_number) > Number(made.extension_number))
})

test('a hundred at once: every extension once', async () => {
  const made = await Promise.all(Array.from({ length: 100 }, (_, at) => create({ email: `user${at}@example.com` })))
  assert.is(new Set(made.map(({ body }) => body.extension_number)).size, 100)
  const race = await Promise.all(Array.from({ length: 10 }, () => create({ email: 'race@example.com' })))
  assert.equal(race.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409, 409, 409, 409, 409])
})

test.after(() => bed.close())
test.run()
