/** What libopus-wasm compiles of libopus: pointers are offsets into its memory, results below 0 are errors. */
export interface OpusModule {
  // New ones whenever its memory grows.
  readonly HEAP16: Int16Array
  readonly HEAP32: Int32Array
  readonly HEAPU8: Uint8Array
  _malloc(bytes: number): number
  _free(pointer: number): void
  _oc_create_encoder(sampleRate: number, channels: number, application: number, error: number): number
  _oc_destroy_encoder(encoder: number): void
  _oc_encoder_ctl(encoder: number, request: number, value: number): number
  _oc_encode(encoder: number, pcm: number, samples: number, packet: number, room: number): number
  _oc_create_decoder(sampleRate: number, channels: number, error: number): number
  _oc_destroy_decoder(decoder: number): void
  _oc_decode(decoder: number, packet: number, length: number, pcm: number, room: number, fec: number): number
}

const calls = [
  '_malloc',
  '_free',
  '_oc_create_encoder',
  '_oc_destroy_encoder',
  '_oc_encoder_ctl',
  '_oc_encode',
  '_oc_create_decoder',
  '_oc_destroy_decoder',
  '_oc_decode',
] as const

const isOpusModule = (module: unknown): module is OpusModule =>
  typeof module === 'object' &&
  module !== null &&
  'HEAP16' in module &&
  calls.every(call => typeof (module as Record<string, unknown>)[call] === 'function')

let loading: Promise<OpusModule> | undefined

/**
 * Once for each thread. The package's own door gives every frame in an array of its own: at 5,000 frames a second that
 * keeps a collector busy, and a thread of real time waits for the locks of its helpers. So this is the door after it.
 */
export const loadOpusModule = (): Promise<OpusModule> => (loading ??= load())

async function load(): Promise<OpusModule> {
  const file = new URL('./generated/libopus.generated.mjs', import.meta.resolve('libopus-wasm'))
  const { default: create } = (await import(file.href)) as { readonly default: () => Promise<unknown> }
  const module = await create()
  if (!isOpusModule(module)) throw new Error('libopus-wasm has changed its compiled module')
  return module
}
