import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { AudioConverter } from '../../core/adapters/audio/audio-converter.ts'
import { UrlAudio } from '../../core/adapters/audio/url-audio.ts'
import { HttpClient } from '../../core/adapters/http/index.ts'
import { wavHeader } from '../../rtp/index.ts'
import { type RawRequest, rawServer } from '../core/bed/raw-server.ts'

// What a Play by URL may cost the thread that downloads it.
const folder = mkdtempSync(join(tmpdir(), 'sauti-downloads-'))
const converter = new AudioConverter()
test.after(() => {
  converter.close()
  rmSync(folder, { recursive: true })
})

const audioBytes = 200_000
const wav = Buffer.concat([
  wavHeader({ encoding: 'pcm16', sampleRate: 8000, channels: 1 }, audioBytes),
  new Uint8Array(audioBytes),
])
const send = ({ socket }: RawRequest, body: Uint8Array, announced = body.length) => {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${announced}\r\n\r\n`)
  socket.write(body)
}

async function against(
  answer: (request: RawRequest) => void,
  run: (urls: UrlAudio, url: string, requests: readonly RawRequest[]) => Promise<void>,
  pace = { bytesPerSecond: 4e6, burstBytes: 40e6 },
): Promise<void> {
  const server = await rawServer(answer)
  const client = new HttpClient({ allowPrivateUrls: true })
  const cache = new AudioCache({ folder: mkdtempSync(join(folder, 'cache-')), maxBytes: 1e9 })
  await run(new UrlAudio(client, cache, converter, pace), server.url('/sound'), server.requests)
  await client.close()
  await server.close()
}

test('what is no audio is given up after its first 64 KB', () =>
  against(
    request => send(request, new Uint8Array(70_000), 20_000_000),
    async (urls, url) => {
      const began = performance.now()
      const found = await urls.load('a', url)
      assert.ok('ok' in found && found.code === 'PLAY.0415', JSON.stringify(found))
      assert.ok(performance.now() - began < 8000, 'the rest, which never comes, is not waited for')
    },
  ))

test('what could not be played is not downloaded again by the account for a while', () =>
  against(
    request => send(request, Buffer.from('<html>')),
    async (urls, url, requests) => {
      const codes = []
      for (const owner of ['a', 'a', 'a', 'b']) {
        const found = await urls.load(owner, url)
        codes.push('ok' in found ? found.code : 'played')
      }
      assert.equal(codes, Array(4).fill('PLAY.0415'))
      assert.is(requests.length, 2)
    },
  ))

test('an account downloads so much at once and then at its pace; another one does not wait', () =>
  against(
    request => send(request, wav),
    async (urls, url) => {
      const began = performance.now()
      const took = async (owner: string, path: string) => {
        const found = await urls.load(owner, `${url}${path}`)
        assert.not.ok('ok' in found, JSON.stringify(found))
        return performance.now() - began
      }
      const [first, second, other] = await Promise.all([took('a', '1'), took('a', '2'), took('b', '1')])
      // 400 kB, of which 200 kB at once.
      assert.ok(Math.max(first, second) > 1950, `${first} and ${second} ms`)
      assert.ok(other < Math.max(first, second), `${other} ms`)
    },
    { bytesPerSecond: 100_000, burstBytes: 200_000 },
  ))

test.run()
