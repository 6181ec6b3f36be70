import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wavHeader } from '../../../rtp/index.ts'

interface SpeechOrder {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly input: string
    readonly voice: string
    readonly response_format: string
  }
}

/** How it answers: well, or not. */
type SpeechManner =
  | 'well'
  | 'stereo'
  | 'hang'
  | 'hang-midway'
  | 'slow'
  | 'enormous'
  | 'html'
  | 'mp3'
  | 'empty'
  | 'torn'
  | number

const rate = 24_000

/** A server of OpenAI's speech API. What it says is a tone of 1100 Hz, 60 ms a character. */
export class SpeechServer {
  readonly orders: SpeechOrder[] = []
  manner: SpeechManner = 'well'
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      request.on('end', () => {
        const body = JSON.parse(text)
        this.orders.push({ path: request.url ?? '', headers: request.headers, body })
        const manner = this.manner
        if (typeof manner === 'number') {
          response.writeHead(manner, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
          return
        }
        const audio = speechOf(body.input, body.response_format, manner === 'stereo' ? 2 : 1)
        const type = body.response_format === 'pcm' ? 'audio/pcm' : 'audio/wav'
        switch (manner) {
          case 'well':
          case 'stereo':
            response.writeHead(200, { 'content-type': type }).end(audio)
            return
          case 'hang':
            return
          case 'hang-midway':
            response.writeHead(200, { 'content-type': type }).write(audio.subarray(0, 2000))
            return
          case 'slow':
            response.writeHead(200, { 'content-type': type })
            setTimeout(() => response.end(audio), 400)
            return
          case 'enormous': {
            response.writeHead(200, { 'content-type': type })
            const chunk = Buffer.alloc(1 << 20, 1)
            const more = () => response.destroyed || response.write(chunk, () => setImmediate(more))
            more()
            return
          }
          case 'html':
            response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')
            return
          case 'mp3':
            response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from('fff344c4', 'hex'))
            return
          case 'empty':
            response.writeHead(200, { 'content-type': type }).end()
            return
          case 'torn':
            response.writeHead(200, { 'content-type': type, 'content-length': '999999' })
            response.write(audio.subarray(0, 100), () => response.destroy())
        }
      })
    })
  }

  static async open(): Promise<SpeechServer> {
    const opened = new SpeechServer()
    await new Promise<void>(resolve => opened.#server.listen(0, '127.0.0.1', resolve))
    return opened
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** As servers do that stream: their WAV does not know its length. */
function speechOf(text: string, format: string, channels: number): Buffer {
  const frames = Math.round(0.06 * text.length * rate)
  const pcm = Int16Array.from({ length: frames * channels }, (_, i) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 1100 * Math.floor(i / channels)) / rate)),
  )
  const samples = Buffer.from(pcm.buffer)
  if (format === 'pcm') return samples
  const head = Buffer.from(wavHeader({ encoding: 'pcm16', sampleRate: rate, channels }, 0))
  head.writeUInt32LE(0xffff_ffff, 4)
  head.writeUInt32LE(0xffff_ffff, 40)
  return Buffer.concat([head, samples])
}
