import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatFields, formatTable } from '../../api/cli/action/table.ts'

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

test('control characters in a name, as of who calls, do not reach the terminal, and break no row', () => {
  assert.is(formatTable([{ from: 'a\x1b[2Jb\nc\u009b' }], [['from', 'from']]), 'FROM\na·[2Jb·c·')
  assert.is(formatFields({ name: '\x1b]0;x\x07' }), 'name  ·]0;x·')
})

test.run()
