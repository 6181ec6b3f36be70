import koffi from 'koffi'
import type { FixedMemory } from './libc.ts'

/**
 * The encoder of the system's own libopus, in machine code with SIMD: a frame takes a quarter less than in WebAssembly. It is used where the
 * system has the library (Debian's libopus0). Decoders stay in WebAssembly: they read what a network sends, and a fault of theirs
 * ends there one frame and not the process.
 */
export interface SystemOpus {
  /** As the library writes it: `libopus 1.3.1`. */
  readonly version: string
  /** Bytes of an encoder of one channel. */
  readonly encoderSize: number
  /** Makes an encoder in that memory; below 0: it cannot. */
  init(encoder: bigint, sampleRate: number, application: number): number
  control(encoder: bigint, request: number, value: number): number
  /** Octets of the packet; below 0: a fault. */
  encode(encoder: bigint, pcm: bigint, samples: number, packet: bigint, room: number): number
  /** Outside of the collector's heap, as long as `buffer` is held: it ends with its thread and needs no call to be freed. */
  allocate(bytes: number): FixedMemory
}

const names = ['libopus.so.0', 'libopus.so']
/** Earlier ones have other defaults, and no in-band FEC at the bit rates that calls have. */
const known = /^libopus (1\.[3-9]|1\.\d\d|[2-9])/

let loaded: SystemOpus | undefined | 'not looked for' = 'not looked for'

/** Once for each thread. Undefined where the system has no such library, or one that is too old. */
export function loadSystemOpus(): SystemOpus | undefined {
  if (loaded === 'not looked for') loaded = firstOf(names)
  return loaded
}

/** For tests of machines without the library. */
export function firstOf(files: readonly string[]): SystemOpus | undefined {
  const isKnown = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')
  for (const file of isKnown ? files : []) {
    try {
      const found = open(file)
      if (found !== undefined) return found
    } catch {
      // Not there, or no library for this processor.
    }
  }
  return undefined
}

function open(file: string): SystemOpus | undefined {
  const library = koffi.load(file)
  const version: string = library.func('opus_get_version_string', 'str', [])()
  if (!known.test(version)) return undefined
  const size = library.func('opus_encoder_get_size', 'int', ['int'])
  const init = library.func('opus_encoder_init', 'int', ['uint64', 'int32', 'int', 'int'])
  const control = library.func('opus_encoder_ctl', 'int', ['uint64', 'int', '...'])
  return {
    version,
    encoderSize: size(1),
    init: (encoder, sampleRate, application) => init(encoder, sampleRate, 1, application),
    control: (encoder, request, value) => control(encoder, request, 'int', value),
    encode: library.func('opus_encode', 'int', ['uint64', 'uint64', 'int', 'uint64', 'int32']),
    allocate: bytes => {
      const buffer = new ArrayBuffer(bytes)
      return { buffer, address: koffi.address(buffer) }
    },
  }
}
