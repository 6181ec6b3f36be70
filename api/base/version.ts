import { readFileSync } from 'node:fs'

/** Version of the package. Its package.json is two folders above in the sources, in the build, and in the bundle. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
