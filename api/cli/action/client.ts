/** The API answered, but not with success. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    const detail = (body as { detail?: unknown } | null)?.detail
    super(typeof detail === 'string' ? detail : `the API answered ${status}`)
    this.status = status
    this.body = body
  }
}

/** No program that speaks HTTP answers there. */
export class ApiUnreachable extends Error {}

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Sent as they are. */
  readonly bytes?: Uint8Array
}

const timeoutMs = 30_000

const certificateFault = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/

/** What is reported of a request that got no answer. */
function reasonOf(fault: unknown): string {
  const { name, cause } = fault as { readonly name?: unknown; readonly cause?: unknown }
  const { code, message } = (cause ?? {}) as { readonly code?: string; readonly message?: string }
  if (name === 'TimeoutError')
    return ` within ${timeoutMs / 1000} s: the switch is overloaded, or another program is there`
  if (code !== undefined && certificateFault.test(code))
    return `: its certificate is not trusted here, ${message} (${code}); --api names the host of the certificate, NODE_EXTRA_CA_CERTS a file with its authority`
  // fetch takes no port of another protocol, such as 5060: it says so by the message alone.
  const shown = code ?? message
  return `${shown === undefined ? '' : ` (${shown})`}: is "sauti serve" running? SAUTI_HTTP or --api names its address`
}

/** Speaks to the HTTP API as any other client does. */
export class ApiClient {
  readonly baseUrl: string
  readonly #key: string

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl
    this.#key = key
  }

  async request({ method, path, body, bytes }: ApiRequest): Promise<{ value: unknown; bytes: Uint8Array }> {
    const payload =
      bytes === undefined ? (body === undefined ? undefined : JSON.stringify(body)) : new Uint8Array(bytes)
    let response: Response
    try {
      response = await fetch(this.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(bytes === undefined ? {} : { 'content-type': 'application/octet-stream' }),
        },
        ...(payload === undefined ? {} : { body: payload }),
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (cause) {
      throw new ApiUnreachable(`no answer from ${this.baseUrl}${reasonOf(cause)}`, { cause })
    }
    const received = new Uint8Array(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const value: unknown = isJson ? JSON.parse(Buffer.from(received).toString()) : undefined
    if (!response.ok) throw new ApiRefusal(response.status, value)
    return { value, bytes: received }
  }
}
