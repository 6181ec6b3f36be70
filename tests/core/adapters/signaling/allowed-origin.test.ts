import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isAllowedOrigin } from '../../../../core/adapters/signaling/index.ts'

const settings = {
  publicUrl: 'https://voice.example.com',
  allowedOrigins: ['https://app.example.com'],
  sip: { realm: 'sip.example.com' },
}
const ask = (origin: string | undefined, host: string, set: Partial<typeof settings> = {}) =>
  isAllowedOrigin({ headers: { host, ...(origin === undefined ? {} : { origin }) } }, { ...settings, ...set })

const verdicts: readonly [origin: string | undefined, host: string, allowed: boolean, why: string][] = [
  [undefined, 'anything', true, 'no browser'],
  ['https://voice.example.com', 'voice.example.com', true, 'its own page'],
  ['http://voice.example.com:8080', 'voice.example.com:8080', true, 'its own page, by its port'],
  ['https://sip.example.com:8443', 'sip.example.com:8443', true, 'the SIP domain'],
  ['http://203.0.113.7:8080', '203.0.113.7:8080', true, 'its address: no name that leads here'],
  ['http://[2001:db8::7]:8080', '[2001:db8::7]:8080', true, 'the same'],
  ['https://app.example.com', 'voice.example.com', true, 'listed by the operator'],
  ['http://localhost:5173', 'voice.example.com', true, 'where applications are written'],
  ['http://evil.example:8080', 'evil.example:8080', false, 'a foreign name that leads here (DNS rebinding)'],
  ['http://voice.example.com.evil.example', 'voice.example.com.evil.example', false, 'the same'],
  ['https://evil.example', 'voice.example.com', false, 'a foreign page'],
  ['null', 'null', false, 'a page of nowhere'],
]
for (const [origin, host, allowed, why] of verdicts)
  test(`${origin} at ${host}: ${allowed ? 'may' : 'may not'} open a WebSocket (${why})`, () => {
    assert.is(ask(origin, host), allowed)
  })

test('an operator who lists * takes every page', () => {
  assert.is(ask('http://evil.example', 'evil.example', { allowedOrigins: ['*'] }), true)
})

test.run()
