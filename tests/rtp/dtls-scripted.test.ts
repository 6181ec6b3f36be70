import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { scriptedCases } from '../dtls/scripted-cases.ts'
import { ScriptedPair } from '../dtls/scripted-peer.ts'

// One departure from the protocol each, everything else right: what must not connect does not, and says why.
for (const { group, sent, script, options, expected } of scriptedCases) {
  test(`${script.role}'s ${group}: ${sent}`, () => {
    const { ours } = new ScriptedPair(script, options).run()
    if (expected === 'connected') {
      assert.is(ours.state, 'connected', ours.detail)
      return
    }
    assert.is(ours.state, 'handshaking')
    assert.is(ours.keys, undefined)
    assert.match(ours.detail, expected)
  })
}

test.run()
