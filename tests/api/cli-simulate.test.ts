import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseArguments, UsageError } from '../../api/cli/action/arguments.ts'
import { reference, switches, valued } from '../../api/cli/help.ts'
import { simulate } from '../../api/cli/simulate.ts'
import { verifySignature } from '../../core/document-builder/index.ts'
import { defaultSettings } from '../../core/model/settings.ts'
import { freePort } from '../rig/probes/ports.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-simulate-'))
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
test.after(() => rmSync(folder, { recursive: true, force: true }))

async function run(...argv: string[]): Promise<{ code: number; text: string }> {
  let text = ''
  const given = parseArguments(['simulate', ...argv], switches, valued)
  const code = await simulate.run({ given, settings: defaultSettings, print: line => (text += `${line}\n`), reference })
  return { code, text }
}

const menu = file(
  'menu.xml',
  `<Response>
  <Gather numDigits="1" action="/sales"><Say>Press one.</Say></Gather>
  <Say colour="red">Goodbye.</Say>
</Response>`,
)
file(
  'sales.xml',
  '<Response><Dial timeout="20"><Number>+254711000001</Number></Dial><Say>They were away</Say></Response>',
)

test('keys, a file beside it, a busy number, problems with their place, and the cost', async () => {
  const busy = await run(menu, '--press', '1', '--answer', 'busy')
  assert.is(busy.code, 0)
  for (const line of [
    'DOC.0422 line 3:',
    'say "Press one."',
    'document /sales  (Digits=1)',
    '+254711000001 ended: END.0486',
    'say "They were away"',
  ])
    assert.ok(busy.text.includes(line), `${line}\n${busy.text}`)
  const answered = await run(menu, '--press', '1', '--talk', '61', '--rate', '+254=3.00')
  assert.match(answered.text, /talk with \+254711000001/)
  assert.match(answered.text, /, 6\.00 KES$/m)
})

test('no key is pressed: the next verb; the caller hangs up: it ends', async () => {
  assert.match((await run(menu)).text, /say "Goodbye\."/)
  const gone = await run(menu, '--hang-up-after', '2')
  assert.match(gone.text, /completed: END\.0200/)
  assert.match((await run(menu, '--hang-up-after', '0')).text, /(completed: END\.0200|failed: END\.0487)/)
})

test('the answer as JSON', async () => {
  const { steps, end, requests } = JSON.parse((await run(menu, '--press', '1', '--json')).text)
  assert.is(end.status, 'completed')
  assert.is(requests[1].fields.Digits, '1')
  assert.ok(steps.length > 5)
})

test('a URL is requested as the switch would, signed', async () => {
  const signed: boolean[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${request.url}`
      signed.push(verifySignature({ url, headers: request.headers, body }, 'shh'))
      response.end(
        request.url === '/start'
          ? '<Response><Redirect>next</Redirect></Response>'
          : '<Response><Say>Next</Say></Response>',
      )
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { text } = await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/start`, '--secret', 'shh')
  server.close()
  assert.match(text, /say "Next"/)
  assert.equal(signed, [true, true])
})

test('a document that fails makes exit 1, and says where', async () => {
  const malformed = await run(file('malformed.xml', '<Response><Say>Hi</Response>'))
  assert.is(malformed.code, 1)
  assert.match(malformed.text, /DOC\.0400 line 1:/)
  const lost = await run(file('lost.xml', '<Response><Say>Hi</Say><Redirect>/nowhere</Redirect></Response>'))
  assert.is(lost.code, 1)
  assert.match(lost.text, /DOC\.0502 there is neither .*nowhere nor .*nowhere\.xml for \/nowhere/)
  const url = `http://127.0.0.1:${await freePort()}/x`
  const away = await run(file('away.xml', `<Response><Redirect>${url}</Redirect></Response>`))
  assert.is(away.code, 1)
  assert.ok(away.text.includes(`DOC.0502 ${url} cannot be reached: ECONNREFUSED`), away.text)
})

test('a circle with audio in it ends after a thousand documents', async () => {
  const { code, text } = await run(file('circle.xml', '<Response><Say>a</Say><Redirect>/circle</Redirect></Response>'))
  assert.is(code, 1)
  assert.match(text, /It asked for 1000 documents and was hung up: do they lead in a circle\?/)
})

test('a caller who is kept waiting for days gives up', async () => {
  const { code, text } = await run(file('pauses.xml', `<Response>${'<Pause length="600"/>'.repeat(300)}</Response>`))
  assert.is(code, 1)
  assert.match(text, /failed: END\.0487/)
})

test('mistakes name the flag and what is right', async () => {
  const refused = async (...argv: string[]) =>
    run(...argv).then(
      () => '',
      (fault: unknown) => {
        assert.instance(fault, UsageError)
        return (fault as Error).message
      },
    )
  assert.match(await refused(join(folder, 'none.xml')), /cannot be read: there is no such file \(ENOENT\)/)
  assert.match(await refused('ftp://a.test/menu.xml'), /only http and https URLs/)
  assert.match(await refused(menu, '--press', 'x'), /--press x: keys are/)
  assert.match(await refused(menu, '--answer', 'bussy'), /--answer bussy: one of answer, busy/)
  assert.match(await refused(menu, '--rate', '254:3'), /--rate 254:3/)
  assert.match(await refused(menu, '--talk', 'long'), /--talk wants a number of seconds/)
})

test.run()
