import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid } from '../../../core/model/ids.ts'
import { acme, own } from '../bed/acme.ts'
import { at, dialling, dialTo, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { TraceBed } from '../bed/trace-bed.ts'

// A call between two numbers of this switch is two calls: each has the other as a leg without SIP.

test('each of two calls on-net says who calls and who is dialled, and what is paid for', () => {
  const bed = dialling(dialTo(other))
  const globex = 'globex' as AccountUuid
  const endpoints = { ...acme.endpoints, voice_inbound: 'https://globex.test/in' }
  bed.store.addAccount({ ...acme, uuid: globex, endpoints }, 0)
  bed.store.numbers.set(other, { account: globex, number: own(other) })
  bed.documents.set('https://globex.test/in', '<Response><Pause length="1"/><Say>This is Globex</Say></Response>')
  const traces = new TraceBed(() => bed.now)
  bed.recorder = traces.recorder
  bed.call(at)
  bed.run(700)
  expectAllEnded(bed)
  const traceOf = (toNumber: string) => {
    const call = bed.store.call(each => each.toNumber === toNumber)
    const trace = traces.read(call.uuid, 'customer')
    assert.ok(trace !== undefined)
    return trace
  }
  const [calling, called] = [traceOf(at), traceOf(other)]
  const legsOf = ({ legs }: typeof called) => legs.map(({ role, via, number }) => ({ role, via, number }))
  assert.equal(legsOf(calling).at(-1), { role: 'callee', via: 'on-net', number: other })
  assert.equal(legsOf(called)[0], { role: 'caller', via: 'on-net', number: called.fromNumber })
  const texts = (trace: typeof called) => trace.entries.filter(({ kind }) => kind === 'leg').map(({ text }) => text)
  assert.ok(texts(calling).includes(`${other} is dialled`), texts(calling).join())
  assert.ok(texts(called).includes(`${called.fromNumber} calls`), texts(called).join())
  assert.is(calling.charges[0]?.number, other)
})

test.run()
