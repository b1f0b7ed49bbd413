import {
  type ClientInput,
  type ClientReply,
  type Contract,
  credentialsOf,
  type Endpoint,
} from '@pennypost/contract/endpoint'

export interface ClientOptions {
  /** The origin of the service, such as `https://pennypost.example`. */
  readonly baseUrl: string
  /** The bearer token, or a function that returns the current one. Sent only to operations that take a credential. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>)
  readonly fetch?: typeof fetch
}

/** Any response, unchecked. */
export interface RawReply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Thrown when the service refuses a request. `code` is always kebab-case, though some operations send snake_case. */
export class RefusedError extends Error {
  readonly status: number
  readonly code: string
  readonly body: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined

  constructor(reply: RawReply) {
    const body = (typeof reply.body === 'object' && reply.body !== null ? reply.body : {}) as Record<string, unknown>
    const data = body.data as Record<string, unknown> | undefined
    const code = String(body.code ?? data?.code ?? reply.status).replaceAll('_', '-')
    super(`${reply.status} ${code}: ${String(body.detail ?? body.message ?? '')}`)
    this.name = 'RefusedError'
    this.status = reply.status
    this.code = code
    this.body = body
    const retryAfter = reply.headers.get('retry-after')
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter)
    this.requestId = reply.headers.get('x-request-id') ?? undefined
  }
}

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/** Sends a request and returns the response, whatever its status. */
export async function send(endpoint: Endpoint, input: AnyInput, options: ClientOptions): Promise<RawReply> {
  const headers = new Headers({ accept: 'application/json' })
  for (const [name, value] of Object.entries(input.headers ?? {}))
    if (value !== undefined) headers.set(name, String(value))
  if (input.idempotencyKey !== undefined) headers.set('idempotency-key', input.idempotencyKey)
  if (credentialsOf(endpoint).some((credential) => credential !== 'none')) {
    const token = typeof options.token === 'function' ? await options.token() : options.token
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  }
  const response = await (options.fetch ?? fetch)(urlOf(endpoint, input, options.baseUrl), {
    method: endpoint.method,
    headers,
    redirect: 'manual',
    ...bodyOf(input.body, headers),
  })
  return { status: response.status, headers: response.headers, body: await readBody(response) }
}

/** Sends a request. Returns a declared reply, and throws a RefusedError for anything else. */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  options: ClientOptions,
): Promise<ClientReply<E>> {
  const reply = await send(endpoint, input as AnyInput, options)
  if (!(reply.status in endpoint.replies)) throw new RefusedError(reply)
  return reply as ClientReply<E>
}

/** A client with one method for each operation of a contract. */
export type Client<C extends Contract> = {
  readonly [Name in keyof C]: Record<never, never> extends ClientInput<C[Name]>
    ? (input?: ClientInput<C[Name]>) => Promise<ClientReply<C[Name]>>
    : (input: ClientInput<C[Name]>) => Promise<ClientReply<C[Name]>>
}

/**
 * Creates a client with one method for each operation of the contract.
 * @example
 * const pennypost = createClient(contract, { baseUrl: 'http://localhost:3000' })
 * const { body } = await pennypost.getHandleAvailability({ query: { handle: 'ada_l' } })
 */
export function createClient<C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  return Object.fromEntries(
    Object.entries(contract).map(([name, endpoint]) => [
      name,
      (input: AnyInput = {}) => call(endpoint, input as never, options),
    ]),
  ) as unknown as Client<C>
}

function urlOf(endpoint: Endpoint, input: AnyInput, baseUrl: string): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name] ?? '')),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) query.append(name, String(value))
  return `${baseUrl.replace(/\/$/, '')}${path}${query.size > 0 ? `?${query}` : ''}`
}

function bodyOf(body: unknown, headers: Headers): { body?: NonNullable<RequestInit['body']>; duplex?: 'half' } {
  if (body === undefined) return {}
  if (body instanceof FormData || body instanceof Uint8Array) return { body: body as NonNullable<RequestInit['body']> }
  if (body instanceof ReadableStream) return { body, duplex: 'half' }
  headers.set('content-type', 'application/json')
  return { body: JSON.stringify(body) }
}

async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 204 || type === '') return undefined
  if (/^application\/(problem\+)?json/.test(type)) {
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  return new Uint8Array(await response.arrayBuffer())
}
