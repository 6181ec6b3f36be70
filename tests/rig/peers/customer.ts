import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../probes/wait.ts'

export interface Post {
  readonly at: number
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly raw: Buffer
  readonly body: any
}

type Reply = string | ((post: Post, response: ServerResponse) => void)

/** A customer's own web server: answers call-control requests with documents and keeps every POST it got. */
export class Customer {
  readonly posts: Post[] = []
  readonly #replies = new Map<string, Reply>()
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<Customer> {
    const server = createServer()
    const customer = new Customer(server)
    server.on('request', (request, response) => customer.#serve(request, response))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return customer
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** What a POST to `path` is answered with: a document, or a function that writes the answer. */
  on(path: string, reply: Reply): string {
    this.#replies.set(path, reply)
    return this.url(path)
  }

  to(path: string): Post[] {
    return this.posts.filter(post => post.url.split('?')[0] === path)
  }

  post(path: string, at = 0, timeoutMs = 10_000): Promise<Post> {
    return until(`POST ${at + 1} to ${path}`, () => this.to(path)[at], timeoutMs)
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise(resolve => this.#server.close(() => resolve()))
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      let body: unknown
      try {
        body = JSON.parse(raw.toString())
      } catch {}
      const post = { at: Date.now(), url: request.url ?? '', headers: request.headers, raw, body }
      this.posts.push(post)
      const reply = this.#replies.get(post.url.split('?')[0]!)
      if (reply === undefined) response.writeHead(404).end()
      else if (typeof reply === 'function') reply(post, response)
      else response.writeHead(200, { 'content-type': 'application/xml' }).end(reply)
    })
  }
}

/** The API's rule, written out and not taken from the code. */
export function verifies(post: Post, url: string, secret: string): boolean {
  const timestamp = String(post.headers['x-voice-timestamp'])
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const expected = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(url + timestamp), post.raw]))
    .digest()
  const given = Buffer.from(String(post.headers['x-voice-signature']), 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The callbacks that a `status` path got, by code in order of arrival. */
export const codesOf = (posts: readonly Post[]): string[] => posts.map(post => post.body.code)
