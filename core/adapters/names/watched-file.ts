import { readFile, stat } from 'node:fs/promises'

/** So often is a file looked at while it is used. */
const lookMs = 1000

/** A small file of the system's, read again after it has changed. The caller never waits for the disk. */
export class WatchedFile<Content> {
  readonly #path: string
  readonly #parse: (text: string) => Content
  #content: Content
  #version = ''
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined

  /** A file that is not there is an empty one. */
  constructor(path: string, parse: (text: string) => Content) {
    this.#path = path
    this.#parse = parse
    this.#content = parse('')
  }

  /** Resolves once it has been read for the first time; then at once. */
  async opened(): Promise<void> {
    if (this.#lookedAt === Number.NEGATIVE_INFINITY) await this.#look()
  }

  /** As it was a moment ago. */
  current(): Content {
    if (performance.now() - this.#lookedAt >= lookMs) void this.#look()
    return this.#content
  }

  #look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = undefined
      this.#lookedAt = performance.now()
    })
    return this.#looking
  }

  async #read(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#path)
      const version = `${ino} ${size} ${mtimeMs}`
      if (version === this.#version) return
      this.#content = this.#parse(await readFile(this.#path, 'utf8'))
      this.#version = version
    } catch {
      this.#content = this.#parse('')
      this.#version = ''
    }
  }
}
