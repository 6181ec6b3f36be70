import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { networkOf, RequestLimits } from '../../api/access/request-limits.ts'
import { SlidingWindow } from '../../api/access/sliding-window.ts'
import { Refusal } from '../../api/answer/refusal.ts'
import { ApiBed } from '../api/bed/api-bed.ts'

const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

test('never more than the limit in any window, and no less than it when there is room', () => {
  const random = seeded(7)
  for (const limit of [1, 3, 20, 300]) {
    const window = new SlidingWindow(limit, 1000)
    const passed: number[] = []
    let now = 0
    for (let turn = 0; turn < 5000; turn++) {
      now += Math.floor(random() * random() * 40)
      const recent = passed.filter(at => at > now - 1000).length
      const wait = window.take(now)
      assert.is(wait === 0, recent < limit)
      if (wait === 0) passed.push(now)
      else assert.ok(wait > 0 && wait <= 1000)
    }
    for (const at of passed) assert.ok(passed.filter(other => other > at - 1000 && other <= at).length <= limit)
  }
})

test('after the Retry-After that it gives, the next one passes', () => {
  const window = new SlidingWindow(2, 60_000)
  window.take(0)
  window.take(10)
  const wait = window.take(20)
  assert.is(wait, 59_980)
  assert.ok(window.take(20 + wait - 1) > 0)
  assert.is(window.take(20 + wait), 0)
})

test('3000 a minute per account', () => {
  const limits = new RequestLimits()
  for (let at = 0; at < 3000; at++) limits.countRequest('a', at)
  limits.countRequest('b', 3000)
  try {
    limits.countRequest('a', 3000)
    assert.unreachable()
  } catch (refusal) {
    assert.instance(refusal, Refusal)
    assert.is((refusal as Refusal).status, 429)
    assert.is((refusal as Refusal).extras.headers?.['retry-after'], '57')
  }
  limits.countRequest('a', 60_000)
})

test('refusals of one name leave one after the other; too many waiting ones are reported; other names do not wait for them', () => {
  const limits = new RequestLimits()
  const waits = Array.from({ length: 100 }, () => limits.refusalWaitMs('a', 1000))
  assert.equal(
    waits,
    Array.from({ length: 100 }, (_, at) => at * 20),
  )
  assert.is(limits.refusalWaitMs('a', 1000), undefined)
  assert.is(limits.refusalWaitMs('b', 1000), 0)
  assert.is(limits.refusalWaitMs('a', 1020), 1980)
  assert.is(limits.refusalWaitMs('a', 10_000), 0)
})

test('the memory of refusals is bounded', () => {
  const limits = new RequestLimits()
  for (let at = 0; at < 60_000; at++) limits.refusalWaitMs(`name ${at}`, at / 1000)
  assert.ok(limits.size <= 20_000)
})

test('a whole IPv6 network counts as one address', () => {
  assert.is(networkOf('192.0.2.1'), '192.0.2.1')
  assert.is(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.is(networkOf('2001:db8:1:2:3:4:5:6'), networkOf('2001:db8:1:2::1'))
  assert.is.not(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'))
  assert.is(networkOf('::1'), networkOf('::2'))
  assert.is(networkOf('fe80::1%eth0'), 'fe80:0:0:0')
})

test('the memory of addresses is bounded', () => {
  const limits = new RequestLimits()
  for (let at = 0; at < 60_000; at++) limits.countUnknownKey(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, at / 100)
  assert.ok(limits.size <= 20_000)
})

test('unknown keys: 20 a minute from one address, then 429; known keys and no key go on', async () => {
  const bed = await ApiBed.open()
  for (let count = 0; count < 20; count++) {
    assert.is((await bed.conforming('GET', '/account/', { key: `nonsense${count}` })).status, 401)
  }
  for (const [url, key] of [
    ['/account/', 'nonsense'],
    ['/operator/accounts', 'nonsense'],
    ['/account/', ' '],
  ] as const) {
    const limited = await bed.conforming('GET', url, { headers: { authorization: `Bearer ${key}` }, key: '' })
    assert.is(limited.status, 429)
    assert.ok(Number(limited.headers['retry-after']) >= 1 && Number(limited.headers['retry-after']) <= 60)
  }
  assert.is((await bed.conforming('GET', '/account/')).status, 200)
  assert.is((await bed.conforming('GET', '/account/', { key: '' })).status, 401)
  assert.is((await bed.ask('GET', '/health/', { key: '' })).status, 200)
  await bed.close()
})

test('X-Forwarded-For of a trusted proxy says whose wrong keys they are; that of others is ignored', async () => {
  const wrong = (bed: ApiBed, count: number, from: string, forwarded: string) =>
    bed.app
      .inject({
        url: '/account/',
        remoteAddress: from,
        headers: { authorization: `Bearer nonsense${count}`, 'x-forwarded-for': forwarded },
      })
      .then(answer => answer.statusCode)
  const trusting = await ApiBed.open({ trustedProxies: ['10.0.0.0/8'] })
  for (let count = 0; count < 20; count++) assert.is(await wrong(trusting, count, '10.0.0.1', '192.0.2.1'), 401)
  assert.is(await wrong(trusting, 20, '10.0.0.1', '192.0.2.1'), 429)
  assert.is(
    await wrong(trusting, 21, '10.0.0.1', '198.51.100.1, 192.0.2.1'),
    429,
    'what the caller itself wrote in front',
  )
  assert.is(await wrong(trusting, 22, '10.0.0.1', '192.0.2.2'), 401)
  await trusting.close()
  const plain = await ApiBed.open()
  for (let count = 0; count < 20; count++) assert.is(await wrong(plain, count, '10.0.0.1', `192.0.2.${count}`), 401)
  assert.is(await wrong(plain, 20, '10.0.0.1', '192.0.2.200'), 429)
  await plain.close()
})

test('the account limit spans its keys, and every endpoint', async () => {
  const bed = await ApiBed.open()
  const second = (await bed.customer('POST', '/keys/create', { name: 'second' })).body.key
  for (let count = 0; count < 2999; count++) {
    const key = count % 2 === 0 ? bed.key : second
    const { status } = await bed.app
      .inject({ url: '/numbers/available', headers: { authorization: `Bearer ${key}` } })
      .then(answer => ({ status: answer.statusCode }))
    if (status !== 200) assert.unreachable(`request ${count} was ${status}`)
  }
  for (const key of [bed.key, second]) {
    const limited = await bed.conforming('GET', '/account/', { key })
    assert.is(limited.status, 429)
    assert.ok(Number(limited.headers['retry-after']) >= 1)
  }
  await bed.close()
})

test.run()
