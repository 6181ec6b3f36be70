export { type SignedRequest, type VerifyOptions, verifySignature } from '../adapters/http/verify-signature.ts'
export type { CallAnswer, CallContext, CallHandler } from './call-handler.ts'
export type { CallRequest, DialActionRequest, GatherActionRequest, RecordActionRequest } from './call-request.ts'
export type { Duration } from './duration.ts'
export { DocumentError } from './errors.ts'
export type {
  ClientTarget,
  ConferenceTarget,
  DialOptions,
  DialOrder,
  DialTarget,
  GatherOptions,
  HangupOptions,
  NumberTarget,
  PlayOptions,
  PlaySource,
  RecordOptions,
  RecordSessionOptions,
  RejectOptions,
  SayOptions,
  SipTarget,
  Ssml,
} from './options.ts'
export { Prompt, response, VerbDocument } from './response.ts'
