import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { PendingCallback } from '../../../../core/adapters/store/outbox.ts'
import { CallbackBacklog } from '../../../../core/adapters/webhooks/callback-backlog.ts'
import type { AccountUuid } from '../../../../core/model/ids.ts'
import { seeded } from '../../bed/seeded.ts'

/** An outbox in memory, and what a backlog has taken of it. */
function bed(limits: { total: number; perAccount: number }) {
  const rows: PendingCallback[] = []
  const taken: PendingCallback[] = []
  const outbox = {
    pendingAfter: (id: number, limit: number) => rows.filter(row => row.id > id).slice(0, limit),
    pendingOf: (account: AccountUuid, { after, upTo }: { after: number; upTo: number }, limit: number) =>
      rows.filter(row => row.accountUuid === account && row.id > after && row.id <= upTo).slice(0, limit),
  }
  const backlog = new CallbackBacklog(outbox, limits)
  let lastId = 0
  const load = () => backlog.load(callback => taken.push(callback))
  return {
    taken,
    load,
    add(account: string, count = 1) {
      for (let more = 0; more < count; more++)
        rows.push({
          id: ++lastId,
          accountUuid: account as AccountUuid,
          callUuid: null,
          url: '',
          tries: 0,
          dueUnix: 0,
        })
    },
    async end(callback: PendingCallback) {
      rows.splice(rows.indexOf(callback), 1)
      if (backlog.ended(callback)) await load()
    },
    idsOf: (account: string) => taken.filter(row => row.accountUuid === account).map(({ id }) => id),
  }
}

test('an account whose callbacks pile up leaves room for the others', async () => {
  const { add, load, taken, end, idsOf } = bed({ total: 100, perAccount: 10 })
  add('a', 5000)
  add('b', 3)
  await load()
  assert.equal([idsOf('a').length, idsOf('b')], [10, [5001, 5002, 5003]])
  add('a')
  add('b')
  await load()
  assert.equal([idsOf('a').length, idsOf('b').at(-1)], [10, 5005])
  for (let at = 0; at < taken.length; at++) if (taken[at]!.accountUuid === 'a') await end(taken[at]!)
  assert.equal(idsOf('a'), [...Array.from({ length: 5000 }, (_, at) => at + 1), 5004], 'in their order, each once')
})

test('property: whatever comes and ends, each is taken once, and an account’s in their order', async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seeded(seed)
    const { add, load, taken, end } = bed({ total: 10, perAccount: 4 })
    const waiting: PendingCallback[] = []
    let seen = 0
    let added = 0
    const see = () => {
      for (; seen < taken.length; seen++) waiting.push(taken[seen]!)
      assert.ok(waiting.length <= 10)
      for (const name of ['a', 'b', 'c'])
        assert.ok(waiting.filter(({ accountUuid }) => accountUuid === name).length <= 4, `seed ${seed}`)
    }
    for (let step = 0; step < 400 || waiting.length > 0; step++) {
      if (step < 400 && random.below(2) === 0) {
        add(random.pick(['a', 'a', 'a', 'b', 'c']))
        added++
        await load()
      } else if (waiting.length > 0) await end(waiting.splice(random.below(waiting.length), 1)[0]!)
      see()
    }
    assert.is(taken.length, added, `seed ${seed}`)
    for (const name of ['a', 'b', 'c']) {
      const ids = taken.filter(({ accountUuid }) => accountUuid === name).map(({ id }) => id)
      assert.equal(
        ids,
        [...new Set(ids)].sort((x, y) => x - y),
        `seed ${seed}`,
      )
    }
  }
})

test.run()
