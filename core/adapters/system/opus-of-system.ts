import { loadSystemOpus } from '../../../rtp/io/index.ts'

/** The version of the system's libopus, `libopus 1.3.1`, if it encodes Opus here; undefined: WebAssembly does. */
export const opusOfSystem = (): string | undefined => loadSystemOpus()?.version
