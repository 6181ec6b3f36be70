export { type HttpAnswer, HttpClient, type HttpClientOptions, webhookMaxBytes } from './http-client.ts'
export { PieceCount } from './piece-count.ts'
export { isPublicAddress } from './public-address.ts'
export { resolveBy } from './resolve-host.ts'
