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

/** Nothing that speaks HTTP is there. */
export class ApiUnreachable extends Error {}

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Sent as they are. */
  readonly bytes?: Uint8Array
}

const timeoutMs = 30_000

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
      throw new ApiUnreachable(
        `no answer from ${this.baseUrl}: is "sauti serve" running? SAUTI_HTTP or --api names its address`,
        { cause },
      )
    }
    const received = new Uint8Array(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const value: unknown = isJson ? JSON.parse(Buffer.from(received).toString()) : undefined
    if (!response.ok) throw new ApiRefusal(response.status, value)
    return { value, bytes: received }
  }
}
