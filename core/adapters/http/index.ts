export { resolveBy } from './guarded-connect.ts'
export {
  type HttpAnswer,
  HttpClient,
  type HttpClientOptions,
  type HttpFault,
  type HttpRequest,
  type SignedPost,
  webhookMaxBytes,
  webhookTimeoutMs,
} from './http-client.ts'
export { isPublicAddress } from './public-address.ts'
export { signatureHeaders } from './signature.ts'
