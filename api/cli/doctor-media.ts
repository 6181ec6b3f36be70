import { type Finding, ok } from './doctor-finding.ts'

/** `version`: of the system's libopus; undefined: it has none that is used. */
export const opusEncoder = (version: string | undefined): Finding =>
  version === undefined
    ? ok('Opus', 'encoded in WebAssembly; the libopus of the system takes a quarter less: apt-get install libopus0')
    : ok('Opus', `encoded by the system's ${version}`)
