import type { RawBody } from './body.ts'
import { type ClientInput, type ClientReply, type Contract, credentialsOf, type Endpoint } from './endpoint.ts'
import { readEvents } from './read-events.ts'

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
  readonly contentLength?: number
  readonly idempotencyKey?: string
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, a download or an event stream. */
  readonly signal?: AbortSignal
}

/** Sends a request and returns the response, whatever its status. */
export async function send(
  endpoint: Endpoint,
  input: AnyInput,
  options: ClientOptions & CallOptions,
): Promise<RawReply> {
  const response = await request(endpoint, input, options, 'application/json')
  return { status: response.status, headers: response.headers, body: await readBody(response) }
}

/** Sends a request. Returns a declared reply, and throws a RefusedError for anything else. */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  options: ClientOptions & CallOptions,
): Promise<ClientReply<E>> {
  const reply = await send(endpoint, input as AnyInput, options)
  if (!(reply.status in endpoint.replies)) throw new RefusedError(reply)
  return reply as ClientReply<E>
}

/** A reply whose bytes are read as they arrive. */
export interface Download {
  readonly status: number
  readonly headers: Headers
  /** The number of bytes, if the service said it. */
  readonly contentLength: number | undefined
  /** Read it to the end or cancel it: until then the connection stays open. */
  readonly body: ReadableStream<Uint8Array>
}

/** Sends a request and returns its bytes as a stream. Throws a RefusedError for anything but success. */
export async function download<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  options: ClientOptions & CallOptions,
): Promise<Download> {
  const response = await request(endpoint, input as AnyInput, options, '*/*')
  const { status, headers } = response
  if (!response.ok || response.body === null)
    throw new RefusedError({ status, headers, body: await readBody(response) })
  const length = headers.get('content-length')
  return { status, headers, contentLength: length === null ? undefined : Number(length), body: response.body }
}

/**
 * Sends a request and yields the events of the reply, until the service or the caller ends the stream: with `break`, or
 * with a signal, which throws. Throws a RefusedError if the service refuses.
 */
export async function* events<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  options: ClientOptions & CallOptions,
): AsyncGenerator<ServerEvent<EventOf<E>>> {
  const response = await request(endpoint, input as AnyInput, options, 'text/event-stream')
  const { status, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!response.ok || !isStream || response.body === null)
    throw new RefusedError({ status, headers, body: await readBody(response) })
  for await (const { event, data } of readEvents(response.body)) yield { event, data: JSON.parse(data) as EventOf<E> }
}

/** One event of a stream. `data` is the same record that the operation returns without a stream. */
export interface ServerEvent<Data> {
  readonly event: string
  readonly data: Data
}

type EventOf<E extends Endpoint> = Extract<ClientReply<E>, { readonly status: 200 }>['body']

type Args<E extends Endpoint> =
  Record<never, never> extends ClientInput<E>
    ? [input?: ClientInput<E>, options?: CallOptions]
    : [input: ClientInput<E>, options?: CallOptions]

type Streams<E extends Endpoint> = E extends { readonly events: string }
  ? { events(...args: Args<E>): AsyncGenerator<ServerEvent<EventOf<E>>> }
  : unknown

type Downloads<E extends Endpoint> = [Extract<E['replies'][keyof E['replies']], RawBody>] extends [never]
  ? unknown
  : { download(...args: Args<E>): Promise<Download> }

/** A client with one method for each operation of a contract. */
export type Client<C extends Contract> = {
  readonly [Name in keyof C]: ((...args: Args<C[Name]>) => Promise<ClientReply<C[Name]>>) &
    Streams<C[Name]> &
    Downloads<C[Name]>
}

/**
 * Creates a client with one method for each operation of the contract. The method of an operation with a file or page as
 * its reply has `download`, and that of an operation with events has `events`.
 * @example
 * const pennypost = createClient(contract, { baseUrl: 'http://localhost:3000' })
 * const { body } = await pennypost.getHandleAvailability({ query: { handle: 'ada_l' } })
 * for await (const { data } of pennypost.getPurchase.events({ params: { purchaseId } })) console.log(data.status)
 */
export function createClient<C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  return Object.fromEntries(
    Object.entries(contract).map(([name, endpoint]) => {
      const method =
        <Result>(act: (endpoint: Endpoint, input: never, options: ClientOptions & CallOptions) => Result) =>
        (input: AnyInput = {}, callOptions: CallOptions = {}) =>
          act(endpoint, input as never, { ...options, ...callOptions })
      return [name, Object.assign(method(call), { download: method(download), events: method(events) })]
    }),
  ) as unknown as Client<C>
}

async function request(
  endpoint: Endpoint,
  input: AnyInput,
  options: ClientOptions & CallOptions,
  accept: string,
): Promise<Response> {
  const headers = new Headers({ accept })
  for (const [name, value] of Object.entries(input.headers ?? {}))
    if (value !== undefined) headers.set(name, String(value))
  if (input.idempotencyKey !== undefined) headers.set('idempotency-key', input.idempotencyKey)
  if (credentialsOf(endpoint).some((credential) => credential !== 'none')) {
    const token = typeof options.token === 'function' ? await options.token() : options.token
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  }
  return (options.fetch ?? fetch)(urlOf(endpoint, input, options.baseUrl), {
    method: endpoint.method,
    headers,
    redirect: 'manual',
    ...(options.signal && { signal: options.signal }),
    ...bodyOf(endpoint, input, headers),
  })
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

interface SentBody {
  readonly body?: NonNullable<RequestInit['body']>
  readonly duplex?: 'half'
}

/** The body in the form that the operation declares: JSON, a form, or bytes with their media type and length. */
function bodyOf(endpoint: Endpoint, { body, contentLength }: AnyInput, headers: Headers): SentBody {
  if (body === undefined) return {}
  // `fetch` chooses the media type: that of a form with files has a boundary.
  if (body instanceof FormData || body instanceof URLSearchParams) return { body }
  const declared = endpoint.request?.body
  if (declared && 'kind' in declared && declared.kind === 'stream' && !headers.has('content-type'))
    headers.set('content-type', declared.contentType)
  if (body instanceof Blob || body instanceof ArrayBuffer || body instanceof Uint8Array)
    return { body: body as NonNullable<RequestInit['body']> }
  if (!isStream(body)) {
    headers.set('content-type', 'application/json')
    return { body: JSON.stringify(body) }
  }
  if (contentLength !== undefined) headers.set('content-length', String(contentLength))
  return { body: body instanceof ReadableStream ? body : streamOf(body), duplex: 'half' }
}

const isStream = (body: unknown): body is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> =>
  body instanceof ReadableStream || (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)

/** A web stream of a Node stream or generator, which is read only as fast as the bytes are sent. */
function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
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
