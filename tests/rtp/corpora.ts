import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'uvu'

const root = new URL('../../../shared/corpora/', import.meta.url).pathname

/** A test that reads test inputs beside the checkout; where the folder is missing it says so and is skipped. */
export const testWith = (folder: string, name: string, run: () => void | Promise<void>): void => {
  if (existsSync(root + folder)) test(name, run)
  else {
    process.stderr.write(`SKIPPED (no ../shared/corpora/${folder}): ${name}\n`)
    test.skip(name, run)
  }
}

export const corpusFile = (path: string): Uint8Array => new Uint8Array(readFileSync(root + path))

/** The files of a folder with their bytes, in a fixed order. */
export const corpusFiles = (folder: string): { name: string; bytes: Uint8Array }[] =>
  readdirSync(root + folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/^(SOURCES|MANIFEST|README)/.test(entry.name))
    .map(entry => `${entry.parentPath}/${entry.name}`)
    .sort()
    .map(path => ({ name: path.slice(root.length), bytes: new Uint8Array(readFileSync(path)) }))
