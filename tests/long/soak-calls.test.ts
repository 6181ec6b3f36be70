import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { soakCalls } from '../../bench/soak-calls/soak-calls.ts'
import { requirePeers } from '../rig/beds/debian.ts'

// `npm run bench soak-calls` does it for an hour at fifty calls a second, and looks at the memory as well.
test('calls of every kind, media threads ended in between: nothing is left of them', async () => {
  requirePeers('sipp')
  const lines: string[] = []
  const result = await soakCalls({
    minutes: 1,
    callsPerSecond: 20,
    killEverySeconds: 15,
    onProgress: line => lines.push(line),
  })
  assert.equal(result.left, {}, lines.join('\n'))
  assert.is(result.openRows, 0)
  assert.is(result.crashed, 0)
  assert.is(result.check.code, 0, result.check.output)
  assert.ok(result.threadsLost >= 2, `${result.threadsLost} media threads were ended`)
  assert.ok(result.calls > 600, `${result.calls} calls`)
})

test.run()
