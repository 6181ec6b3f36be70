import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { begunRow } from '../../../core/call/call-book.ts'
import { OriginateAnswer, type OriginateInput, originateTable } from '../../../core/call/originate-answer.ts'
import { causeOfRefusal, type OriginateResult, refusedBy } from '../../../core/contract/originate-order.ts'
import type { CallUuid, Sid } from '../../../core/model/ids.ts'
import { acme } from '../bed/acme.ts'

const call = begunRow(
  {
    uuid: 'call' as CallUuid,
    sid: 'CA1' as Sid,
    accountUuid: acme.uuid,
    direction: 'outbound',
    fromNumber: '+254700000001',
    toNumber: '+254733333333',
    customPayload: null,
  },
  0,
)

const give: Readonly<Record<OriginateInput, (answer: OriginateAnswer) => void>> = {
  store: answer => answer.storing(),
  stored: answer => answer.stored(call),
  refused: answer => answer.refused(refusedBy('BILL.0402', 'the balance does not cover the call')),
  ended: answer => answer.ended(),
  'database-failed': answer => answer.databaseFailed(),
}
const inputs = Object.keys(give) as OriginateInput[]
const ways: Readonly<Record<keyof typeof originateTable, readonly OriginateInput[]>> = {
  admitting: [],
  storing: ['store'],
  answered: ['store', 'stored'],
}

test('the answer to a call placed by API: every cell', () => {
  const cells = Object.entries(originateTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input] ?? '-')].join(' '),
  )
  assert.equal(cells, [
    'admitting storing - answered answered answered',
    'storing - answered answered - answered',
    'answered - - - - -',
  ])
})

/** What the API is answered, by state and input; what a row does not name says nothing. */
const expected: Readonly<Record<keyof typeof originateTable, Readonly<Partial<Record<OriginateInput, string>>>>> = {
  admitting: { refused: 'BILL.0402', ended: 'END.5503', 'database-failed': 'END.5500' },
  storing: { stored: 'CA1', refused: 'BILL.0402', 'database-failed': 'END.5500' },
  answered: {},
}

test('every input in every state: one answer, and what it says', () => {
  for (const [state, way] of Object.entries(ways) as [keyof typeof originateTable, readonly OriginateInput[]][])
    for (const input of inputs) {
      const replies: OriginateResult[] = []
      const answer = new OriginateAnswer(result => replies.push(result))
      for (const step of way) give[step](answer)
      replies.length = 0
      give[input](answer)
      const said = replies.map(result => (result.ok ? result.call.sid : causeOfRefusal(result)))
      assert.equal(said, [expected[state][input] ?? []].flat(), `${state} + ${input}`)
    }
})

test.run()
