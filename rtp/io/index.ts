/** The media library's sockets, files and clock. */

export type { OpusCoders, OpusDecoder, OpusEncoder } from '../codec/opus.ts'
export type { DatagramNetwork, DatagramReceiver, DatagramSocket, NetworkCounters } from '../net/network.ts'
export { type FinishedOgg, finishOggFile } from './finish-ogg.ts'
export { type FixedMemory, loadLibC, type NativeCalls } from './libc.ts'
export { LibOpus, type LibOpusCounters } from './libopus.ts'
export { type ClockCounters, MediaClock, type MediaClockConfig, type MediaTick } from './media-clock.ts'
export { MessageBatch } from './message-batch.ts'
export { type NetworkOptions, openNetwork } from './open-network.ts'
export { ownModule } from './own-module.ts'
export { PromptFiles, type PromptFilesConfig } from './prompt-files.ts'
export { RecordingFiles } from './recording-files.ts'
export { TimedReceiver } from './timed-receiver.ts'
