import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { NameFault, NameResolver } from '../../core/adapters/names/index.ts'
import { candidatesOf, parseHosts, parseResolvConf } from '../../core/adapters/names/system-files.ts'
import { NameServer, type Question, type Reply } from '../rig/fakes/name-server.ts'
import { until } from '../rig/probes/wait.ts'

interface Bed {
  readonly names: NameResolver
  readonly server: NameServer
  readonly folder: string
  readonly hosts: (text: string) => void
}

async function bed(
  answer: (question: Question) => Reply | undefined,
  use: (bed: Bed) => Promise<void>,
  resolvConf = '',
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-names-'))
  const hostsFile = join(folder, 'hosts')
  const hosts = (text: string) => writeFileSync(hostsFile, text)
  hosts('127.0.0.1 localhost\n')
  writeFileSync(join(folder, 'resolv.conf'), resolvConf)
  const server = await NameServer.open(answer)
  const names = new NameResolver({ servers: [server.address], hostsFile, resolvConf: join(folder, 'resolv.conf') })
  try {
    await use({ names, server, folder, hosts })
  } finally {
    names.close()
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

const codeOf = (lookup: Promise<unknown>): Promise<string> =>
  lookup.then(
    () => 'found',
    (fault: unknown) => (fault instanceof NameFault ? fault.code : String(fault)),
  )
const textOf = async (lookup: ReturnType<NameResolver['addresses']>) => (await lookup).map(({ address }) => address)
const zone =
  (names: Readonly<Record<string, Reply>>) =>
  ({ name }: Question): Reply | undefined =>
    names[name]

test('A and AAAA, IPv4 first; CNAMEs; addresses; names that are none', () =>
  bed(
    zone({
      'both.test': { addresses: ['2001:db8::1', '192.0.2.1', '192.0.2.2'] },
      'six.test': { addresses: ['2001:db8::6'] },
      'alias.test': { cname: 'both.test', addresses: ['192.0.2.1'] },
      'empty.test': {},
    }),
    async ({ names, server }) => {
      assert.equal(await names.addresses('Both.test.'), [
        { address: '192.0.2.1', family: 4 },
        { address: '192.0.2.2', family: 4 },
        { address: '2001:db8::1', family: 6 },
      ])
      assert.equal(await textOf(names.addresses('six.test')), ['2001:db8::6'])
      assert.equal(await textOf(names.addresses('alias.test')), ['192.0.2.1'])
      const asked = server.questions.length
      assert.equal(await names.addresses('2001:db8::9'), [{ address: '2001:db8::9', family: 6 }])
      for (const host of [
        '',
        '.',
        'a b.test',
        '-a.test',
        '127.1',
        '2130706433',
        '0x7f.1',
        '0x7f000001',
        '1.2.3.4.',
        'a.0',
      ])
        assert.is(await codeOf(names.addresses(host)), 'ENOTFOUND', host)
      assert.is(server.questions.length, asked, 'no question for what is no name')
      assert.is(await codeOf(names.addresses('missing.test')), 'ENOTFOUND')
      assert.is(await codeOf(names.addresses('empty.test')), 'ENODATA')
    },
  ))

test('SRV: records that exist, that do not, and that no server answers', () =>
  bed(
    zone({
      '_sip._udp.a.test': { srv: [{ name: 'edge.a.test', port: 5070 }] },
      '_sip._udp.broken.test': { code: 2 },
    }),
    async ({ names }) => {
      assert.equal(
        (await names.srv('_sip._udp.a.test')).map(({ name, port }) => [name, port]),
        [['edge.a.test', 5070]],
      )
      assert.equal(await names.srv('_sip._udp.none.test'), [])
      assert.equal(await names.naptr('none.test'), [])
      assert.is(await codeOf(names.srv('_sip._udp.broken.test')), 'ESERVFAIL')
    },
  ))

test('the hosts file goes before DNS, and is read again when it changes; localhost is never a question', () =>
  bed(zone({ 'desk.test': { addresses: ['192.0.2.9'] } }), async ({ names, server, hosts }) => {
    hosts('10.0.0.5 desk.test desk # the office\n10.0.0.6 desk.test\nfe80::1%eth0 linked\nnonsense desk.test\n')
    assert.equal(await textOf(names.addresses('DESK.test')), ['10.0.0.5', '10.0.0.6'])
    assert.equal(await textOf(names.addresses('desk')), ['10.0.0.5'])
    for (const name of ['localhost', 'localhost.', 'a.localhost'])
      assert.equal(await textOf(names.addresses(name)), ['127.0.0.1', '::1'], name)
    assert.is(server.questions.length, 0)
    hosts('10.0.0.77 desk.test and.another\n')
    await until('the new hosts file', async () => (await textOf(names.addresses('desk.test')))[0] === '10.0.0.77')
    hosts('')
    await until('an empty hosts file', async () => (await textOf(names.addresses('desk.test')))[0] === '192.0.2.9')
  }))

test('search domains and ndots as resolv.conf says', () =>
  bed(
    zone({
      'db.corp.test': { addresses: ['192.0.2.1'] },
      'db.eu': { addresses: ['192.0.2.2'] },
      'db.eu.corp.test': { addresses: ['192.0.2.3'] },
      'a.b.c': { addresses: ['192.0.2.4'] },
    }),
    async ({ names, server }) => {
      assert.equal(await textOf(names.addresses('db')), ['192.0.2.1'])
      assert.equal(await textOf(names.addresses('db.eu')), ['192.0.2.3'])
      assert.equal(await textOf(names.addresses('db.eu.')), ['192.0.2.2'])
      assert.equal(await textOf(names.addresses('a.b.c')), ['192.0.2.4'])
      assert.is(server.asked('a.b.c.other.test'), 0)
      assert.is(await codeOf(names.addresses('db.')), 'ENOTFOUND')
    },
    'search old.test\n# a comment\nsearch other.test corp.test.\noptions timeout:9 ndots:2\n',
  ))

test('system files: limits and odd lines', () => {
  assert.equal(
    [...parseHosts('\n#x\n127.0.0.1\tA b\n::1 a\n300.1.1.1 a\n')],
    [
      ['a', ['127.0.0.1', '::1']],
      ['b', ['127.0.0.1']],
    ],
  )
  assert.equal(parseResolvConf('nameserver 192.0.2.1\n;x\ndomain a.test\noptions ndots:99 rotate\nsearch .\n'), {
    servers: ['192.0.2.1'],
    domains: [],
    ndots: 15,
  })
  const rules = { domains: ['a.test', 'b.test'], ndots: 1 }
  assert.equal(candidatesOf('x', rules), ['x.a.test', 'x.b.test', 'x'])
  assert.equal(candidatesOf('x.y', rules), ['x.y', 'x.y.a.test', 'x.y.b.test'])
})

test('answers are remembered for as long as they hold, a question under way is shared', () =>
  bed(
    ({ name }) => {
      switch (name) {
        case 'short.test':
          return { addresses: ['192.0.2.1'], ttlSeconds: 1 }
        case 'long.test':
          return { addresses: ['192.0.2.1'], ttlSeconds: 3000, afterMs: 50 }
        case 'broken.test':
          return { code: 2 }
        default:
          return undefined
      }
    },
    async ({ names, server }) => {
      await Promise.all(Array.from({ length: 40 }, (_, at) => names.addresses('long.test', { owner: `o${at}` })))
      await names.addresses('long.test')
      assert.equal([server.asked('long.test', 'A'), server.asked('long.test', 'AAAA')], [1, 1])
      await names.addresses('short.test')
      await names.addresses('short.test')
      assert.is(server.asked('short.test', 'A'), 1)
      await until('the end of its second', async () => {
        await names.addresses('short.test')
        return server.asked('short.test', 'A') > 1
      })
      for (const [name, code] of [
        ['missing.test', 'ENOTFOUND'],
        ['broken.test', 'ESERVFAIL'],
      ] as const) {
        assert.is(await codeOf(names.addresses(name)), code)
        const asked = server.asked(name)
        for (let more = 0; more < 20; more++) assert.is(await codeOf(names.addresses(name)), code)
        assert.is(server.asked(name), asked, `${name}: what is not there is remembered as well`)
      }
      assert.ok(names.counters.remembered >= 60)
    },
  ))

test('an old answer stands in while the servers of a name do not answer', async () => {
  let isBroken = false
  await bed(
    () => (isBroken ? { code: 2 } : { addresses: ['192.0.2.1'], ttlSeconds: 1 }),
    async ({ names, server }) => {
      await names.addresses('a.test')
      isBroken = true
      const asked = server.questions.length
      await until('a question after its second', async () => {
        assert.equal(await textOf(names.addresses('a.test')), ['192.0.2.1'])
        return server.questions.length > asked
      })
      assert.equal(await textOf(names.addresses('a.test')), ['192.0.2.1'])
    },
  )
})

test('a name server that is late is waited for; one that says nothing is given up; truncated answers come by TCP', () =>
  bed(
    zone({
      'late.test': { addresses: ['192.0.2.1'], afterMs: 1200 },
      'silent.test': { isSilent: true },
      'large.test': { addresses: Array.from({ length: 60 }, (_, at) => `192.0.2.${at + 1}`), isTruncated: true },
      'half.test': { addresses: ['192.0.2.5'] },
    }),
    async ({ names, server }) => {
      assert.equal(await textOf(names.addresses('late.test')), ['192.0.2.1'])
      assert.is((await names.addresses('large.test')).length, 60)
      assert.ok(server.questions.some(({ name, transport }) => name === 'large.test' && transport === 'tcp'))
      assert.is(await codeOf(names.addresses('silent.test')), 'ETIMEOUT')
      assert.ok(server.asked('silent.test', 'A') >= 2, 'asked twice')
    },
  ))

test('an unanswered address family delays only those who want all addresses', () =>
  bed(
    ({ name, type }) => {
      if (name !== 'half.test') return undefined
      return type === 'A' ? { addresses: ['192.0.2.5'] } : { isSilent: true }
    },
    async ({ names }) => {
      const begun = performance.now()
      assert.equal(await textOf(names.addresses('half.test')), ['192.0.2.5'])
      assert.ok(performance.now() - begun < 3900, 'not the four seconds of the other family')
      assert.is(await codeOf(names.addresses('half.test', { isWhole: true })), 'ETIMEOUT')
    },
  ))

test('the operator’s own names have more places than an account’s, and none is too much', () =>
  bed(
    ({ name }) => (name.startsWith('hung') ? { isSilent: true } : { addresses: ['192.0.2.1'] }),
    async ({ names, server }) => {
      const hung = Array.from({ length: 20 }, (_, at) => codeOf(names.addresses(`hung${at}.test`)))
      assert.equal(await textOf(names.addresses('trunk.test')), ['192.0.2.1'])
      assert.is(new Set(server.questions.map(({ name }) => name)).size, 21)
      const many = await Promise.all(Array.from({ length: 1000 }, (_, at) => names.addresses(`t${at}.test`)))
      assert.is(many.length, 1000)
      assert.is(names.counters.refused, 0)
      names.close()
      await Promise.all(hung)
    },
  ))

for (const hanging of [12, 50, 400]) {
  test(`${hanging} names of one account whose servers hang: another account's name is answered as before`, () =>
    bed(
      ({ name }) => (name.endsWith('.hangs.test') ? { isSilent: true } : { addresses: ['192.0.2.1'] }),
      async ({ names, server }) => {
        const timed = async (name: string) => {
          const begun = performance.now()
          await names.addresses(name, { owner: 'b' })
          return performance.now() - begun
        }
        await timed('warm.b.test')
        const before = await timed('first.b.test')
        const hung = Array.from({ length: hanging }, (_, at) =>
          codeOf(names.addresses(`n${at}.hangs.test`, { owner: 'a' })),
        )
        const during: number[] = []
        for (let at = 0; at < 20; at++) during.push(await timed(`n${at}.b.test`))
        const slowest = Math.max(...during)
        // The first of those that hang is given up after four seconds.
        assert.ok(slowest < 2000, `${slowest.toFixed(1)} ms, before ${before.toFixed(1)} ms`)
        // The account's own wait for one another, and what is too much is refused at once.
        const open = new Set(
          server.questions.filter(({ name }) => name.endsWith('.hangs.test')).map(({ name }) => name),
        )
        assert.ok(open.size <= 8, `${open.size} names at once`)
        names.close()
        const codes = new Set(await Promise.all(hung))
        for (const code of codes) assert.ok(['ECANCELLED', 'EBUSY'].includes(code), code)
        assert.is(names.counters.refused > 0, hanging === 400)
      },
    ))
}

test.run()
