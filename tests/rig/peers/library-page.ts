import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { until } from '../probes/wait.ts'
import { type ChromiumOptions, launchChromium } from './chromium.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const ear = fileURLToPath(new URL('library-page.js', import.meta.url))

/** The block of docs/phones.md that is marked with a library's name: what a reader copies is what is tried. */
export function documentedPhone(library: string): string {
  const text = readFileSync(`${root}docs/phones.md`, 'utf8')
  const at = text.indexOf(`\`\`\`js ${library}\n`)
  const block = /^```js [^\n]*\n([\s\S]*?)^```/m.exec(text.slice(at))?.[1]
  if (at === -1 || block === undefined) throw new Error(`docs/phones.md has no page for ${library}`)
  return block
}

async function bundled(library: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import * as phone from 'phone'\nimport { lend } from ${JSON.stringify(ear)}\nlend(phone)\n`,
      resolveDir: root,
    },
    plugins: [
      {
        name: 'documented-phone',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^phone$/ }, () => ({ path: library, namespace: 'docs' }))
          onLoad({ filter: /.*/, namespace: 'docs' }, () => ({
            contents: documentedPhone(library),
            resolveDir: root,
          }))
        },
      },
    ],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

interface SeenState {
  readonly state: string
  readonly detail?: string | number
}

/** A foreign library in Debian's Chromium, whose microphone plays one tone, on a page from a web server of its own. */
export class LibraryPage {
  readonly page: Page
  readonly complaints: string[] = []
  readonly said: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('pageerror', fault => this.complaints.push(fault.message))
    page.on('console', message => this.said.push(message.text().slice(0, 1500)))
  }

  static async open(browser: LibraryBrowser, library: string): Promise<LibraryPage> {
    const made = new LibraryPage(await browser.newPage())
    await made.page.goto(await browser.serve(library))
    await made.until('the page to load', () => made.page.evaluate('globalThis.bed !== undefined'))
    return made
  }

  /** A function of the documented block. */
  async act(name: string, argument?: unknown): Promise<void> {
    await this.page.evaluate(`bed.act(${JSON.stringify(name)}, ${JSON.stringify(argument)})`)
  }

  /** A test's own look into the page. */
  evaluate<T>(expression: string): Promise<T> {
    return this.page.evaluate(expression) as Promise<T>
  }

  states(): Promise<SeenState[]> {
    return this.page.evaluate('bed.states') as Promise<SeenState[]>
  }

  async state(wanted: string, timeoutMs = 10_000): Promise<SeenState> {
    return this.until(
      `the page to be ${wanted}`,
      async () => (await this.states()).find(it => it.state === wanted),
      timeoutMs,
    )
  }

  /** Power of a frequency against the whole, and how loud it is, 0 to 1. */
  hear(ms: number, hz: number): Promise<{ readonly share: number; readonly loudness: number }> {
    return this.page.evaluate(`bed.hear(${ms}, ${hz})`) as Promise<{ share: number; loudness: number }>
  }

  async until<T>(what: string, probe: () => Promise<T | undefined | false>, timeoutMs = 10_000): Promise<T> {
    try {
      return await until(what, probe, timeoutMs)
    } catch (fault) {
      throw new Error(`${String(fault)}\n${[...this.complaints, ...this.said.slice(-12)].join('\n')}`)
    }
  }
}

interface LibraryBrowserOptions extends ChromiumOptions {
  /** Where its pages are served. Default 127.0.0.1, called localhost: a secure context without HTTPS. */
  readonly address?: string
}

/** One Chromium for several such pages. */
export class LibraryBrowser {
  readonly #browser: Browser
  readonly #server: Server
  /** Of its pages. */
  readonly origin: string
  readonly #code = new Map<string, string>()

  private constructor(browser: Browser, server: Server, origin: string) {
    this.#browser = browser
    this.#server = server
    this.origin = origin
    server.on('request', (request, response) => {
      const code = this.#code.get(request.url ?? '')
      response.setHeader('content-type', code === undefined ? 'text/html' : 'text/javascript')
      response.end(code ?? `<!doctype html><body><script type="module" src="${request.url}.js"></script>`)
    })
  }

  static async launch(microphoneHz: number, options: LibraryBrowserOptions = {}): Promise<LibraryBrowser> {
    const server = createServer()
    const { address = '127.0.0.1', args = [] } = options
    await new Promise<void>(resolve => server.listen(0, address, resolve))
    const host = address === '127.0.0.1' ? 'localhost' : address
    const origin = `http://${host}:${(server.address() as AddressInfo).port}`
    const browser = await launchChromium({
      microphoneHz,
      ...options,
      args: [`--unsafely-treat-insecure-origin-as-secure=${origin}`, ...args],
    })
    return new LibraryBrowser(browser, server, origin)
  }

  newPage(): Promise<Page> {
    return this.#browser.newPage()
  }

  /** Address of a page with that library. */
  async serve(library: string): Promise<string> {
    const path = `/${library.replace('.', '')}`
    this.#code.set(`${path}.js`, await bundled(library))
    return `${this.origin}${path}`
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.#server.close()
  }
}
