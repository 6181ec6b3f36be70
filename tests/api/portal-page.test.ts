import { readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { diffOf, readRates } from '../../api/portal/app/operator/rate-csv.ts'
import { en } from '../../api/portal/app/texts/en.ts'
import { sw } from '../../api/portal/app/texts/sw.ts'
import { bundlePortal } from '../../api/portal/portal-bundle.ts'
import { ApiBed } from './bed/api-bed.ts'

// The portal as it is served: its headers, its size, its two languages.

const bed = await ApiBed.open()
const get = (url: string) => bed.ask('GET', url, { key: '' })

test('the page and its parts carry a policy without anything inline or from elsewhere', async () => {
  const page = await get('/')
  assert.is(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  for (const url of ['/', '/portal/portal.js', '/portal/portal.css']) {
    const { headers } = await get(url)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.not.match(policy, /unsafe|https?:/)
    assert.equal([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer'])
    assert.ok(headers.etag)
  }
  assert.not.match(page.text, /<script(?![^>]*src=)|<style|style=|onload=/)
  for (const url of ['/portal/none.js', '/portal/..%2fportal-bundle.ts', '/portal/index.html'])
    assert.ok([404, 422].includes((await get(url)).status), url)
})

test('the first load is under 120 kB compressed, the editor apart', async () => {
  const files = await bundlePortal()
  const first = new Set(['portal.js'])
  for (const name of first)
    for (const [, part = ''] of String(files.get(name)).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) first.add(part)
  const bytes = [...first].reduce((sum, name) => sum + brotliCompressSync(files.get(name) ?? '').length, 0)
  assert.ok(first.size > 1 && bytes < 120_000, `${bytes} bytes in ${[...first]}`)
})

test('both languages have every text, with the same values in it', () => {
  assert.equal(Object.keys(sw).sort(), Object.keys(en).sort())
  const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
  for (const [name, text] of Object.entries(en)) {
    const other = sw[name as keyof typeof en]
    assert.ok(`${text}` !== '' && other !== '', name)
    assert.equal(valuesOf(other), valuesOf(text), name)
  }
})

test('no script of the portal writes markup, or keeps a key', () => {
  const folder = new URL('../../api/portal/app/', import.meta.url)
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  assert.not.match(source, /innerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|sessionStorage|eval\(/)
  const stored = [...source.matchAll(/localStorage\.setItem\('(\w+)'/g)].map(([, name]) => name)
  assert.equal(stored.toSorted(), ['language', 'theme'])
})

test('a rate deck is read, compared with the present one, and its mistakes are named by line', () => {
  const csv =
    'prefix,direction,rate_per_minute\n+254,outbound,3.50,1\n255,outbound,28\n+1,sideways,2\n+44,outbound,x\n+254,outbound,4\n'
  const { rates, problems } = readRates(csv)
  assert.equal(problems, ['4: direction', '5: rate_per_minute', '6: prefix: twice'])
  const rate = { direction: 'outbound', minimum_seconds: 0, connection_fee: '0' } as const
  const before = [
    { ...rate, prefix: '+254', rate_per_minute: '3.00', increment_seconds: 1 },
    { ...rate, prefix: '+256', rate_per_minute: '18.00', increment_seconds: 60 },
  ]
  const { added, removed, changed, same } = diffOf(before, rates)
  assert.equal(
    [added[0]?.prefix, removed[0]?.prefix, changed[0]?.after.rate_per_minute, same],
    ['+255', '+256', '3.50', 0],
  )
})

test.run()
