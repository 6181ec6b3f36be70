import { readFileSync } from 'node:fs'

/** Of the package. Its package.json is two folders above in the sources, in what is built of them, and in the bundle. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
