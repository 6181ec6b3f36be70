import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatTable } from '../../api/cli/action/table.ts'

test('a column of a list shows each of its entries, and a dash for what is not known', () => {
  const rows = [
    {
      sid: 'CA1',
      legs: [
        { codec: 'PCMU', quality: { mos: 4.38 } },
        { codec: null, quality: null },
      ],
    },
    { sid: 'CA2', legs: [] },
    { sid: 'CA3', legs: null },
  ]
  assert.is(
    formatTable(rows, [
      ['sid', 'sid'],
      ['codecs', 'legs.*.codec'],
      ['mos', 'legs.*.quality.mos'],
      ['first', 'legs.0.codec'],
    ]),
    [
      'SID  CODECS  MOS     FIRST',
      'CA1  PCMU,-  4.38,-  PCMU',
      'CA2  -       -       -',
      'CA3  -       -       -',
    ].join('\n'),
  )
})

test.run()
