import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { MultipartBody, NoBody, RawBody, ReceivedFile, StreamBody } from './body.ts'
import type { Callers, Credential } from './credential.ts'
import type { IdempotencyFlavour } from './idempotency.ts'
import type { Limit } from './limit.ts'
import type { Refusal } from './refusal.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** How a refusal is written: as a problem, as an H3 error, or as a page for a person. */
export type ErrorFamily = 'problem' | 'h3' | 'page'
export type CacheRule =
  | 'private'
  | 'no-store'
  | 'immutable'
  | { readonly seconds: number; readonly staleSeconds?: number; readonly mustRevalidate?: true }
export type RequestBody = z.ZodType | MultipartBody | StreamBody
export type ReplyBody = z.ZodType | RawBody | NoBody

/** All that the service promises about one operation. Everything else about it is derived from this value. */
export interface Endpoint {
  readonly method: Method
  /** With `{name}` for each parameter. */
  readonly path: string
  /** The chapter of the reference it stands in. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** One credential, or several that are all accepted; `none` among several makes them optional. */
  readonly credential: Credential | readonly Credential[]
  readonly request?: {
    readonly params?: z.ZodObject
    readonly query?: z.ZodObject
    readonly headers?: z.ZodObject
    readonly body?: RequestBody
  }
  readonly replies: { readonly [status: number]: ReplyBody }
  /** Who prefers `text/event-stream` gets the 200 as a stream of events; this says of which. */
  readonly events?: string
  /** Headers that replies carry, with what they say. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  readonly refusals?: readonly Refusal[]
  readonly errors: ErrorFamily
  readonly idempotency?: IdempotencyFlavour
  /** Decisions §2: a body that breaks its schema is 422, on some routes 400. */
  readonly invalidBody?: 400 | 422
  readonly maxBodyBytes?: number
  /** Whatever is sent is not looked at: for programs that post a form of their own to an address that says everything. */
  readonly ignoresBody?: true
  readonly limits?: readonly Limit[]
  /** §7: some reads repeat the seconds to wait inside the body. */
  readonly retryHint?: 'header' | 'body'
  /** Left out: private where a credential is needed, else not stored. */
  readonly cache?: CacheRule
  /** Its 402 is a quote that x402 clients pay; the smallest price in US dollars, where there is one. */
  readonly paidWith?: { readonly protocol: 'x402'; readonly leastUsd?: string }
  /** Replies carry an `ETag`; who has them already, and says so in `If-None-Match`, is answered 304. */
  readonly conditional?: true
  /** Sent compressed to who takes that. Only for what is public, `conditional` and holds nobody's secret. */
  readonly compressed?: true
}

/**
 * Declares an operation and checks what types cannot.
 * @example
 * export const getHandleAvailability = endpoint({ method: 'GET', path: '/api/profile/handle-availability', … })
 */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  const named = [...declaration.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()
  const declared = Object.keys(declaration.request?.params?.shape ?? {}).sort()
  const title = `${declaration.method} ${declaration.path}`
  if (named.join() !== declared.join()) throw new Error(`${title}: path names [${named}], params declare [${declared}]`)
  if (declaration.method === 'GET' && declaration.request?.body) throw new Error(`${title}: a GET has no body`)
  if (Object.keys(declaration.replies).length === 0) throw new Error(`${title}: no reply declared`)
  return declaration
}

/** The operations of a service by name; the name is the operation id everywhere. */
export type Contract = Readonly<Record<string, Endpoint>>

export const credentialsOf = (endpoint: Endpoint): readonly Credential[] =>
  typeof endpoint.credential === 'string' ? [endpoint.credential] : endpoint.credential

// --- What a handler sees -------------------------------------------------------------------------------------------

type CredentialOf<E extends Endpoint> = E['credential'] extends readonly (infer C)[] ? C : E['credential']
export type CallerOf<E extends Endpoint> = Callers[CredentialOf<E> & Credential]

type Part<E extends Endpoint, Name extends 'params' | 'query' | 'headers'> =
  E['request'] extends Record<Name, infer Schema extends z.ZodType> ? Schema : undefined
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<never, never>

type BodyOf<E extends Endpoint> = E['request'] extends { readonly body: infer B }
  ? B extends MultipartBody<infer Fields>
    ? { file: ReceivedFile; fields: z.output<Fields> }
    : B extends StreamBody
      ? Readable
      : B extends z.ZodType
        ? z.output<B>
        : never
  : undefined

type KeyOf<E extends Endpoint> =
  E['idempotency'] extends IdempotencyFlavour<infer Required>
    ? Required extends true
      ? string
      : string | undefined
    : undefined

export interface Call<E extends Endpoint> {
  readonly caller: CallerOf<E>
  readonly params: Parsed<Part<E, 'params'>>
  readonly query: Parsed<Part<E, 'query'>>
  readonly headers: Parsed<Part<E, 'headers'>>
  readonly body: BodyOf<E>
  readonly idempotencyKey: KeyOf<E>
  /** The peer's address, seen through trusted proxies only. */
  readonly ip: string
  /** The trusted origin that this request came in on; URLs in replies begin with it. */
  readonly origin: string
}

/** A body that was written to JSON already, by the same schema: the same parts are sent in many replies. */
export class Written<Body> {
  readonly text: string
  /** Only says what the text holds. */
  declare readonly body: Body
  private sent: 'never' | 'once' | Uint8Array = 'never'

  constructor(text: string) {
    this.text = text
  }

  /**
   * What leaves. Bytes are kept from the second time on: a buffer for each answer that nobody asks for again keeps the
   * garbage collector busier than all else.
   */
  send(): string | Uint8Array {
    if (this.sent === 'never') {
      this.sent = 'once'
      return this.text
    }
    if (this.sent === 'once') this.sent = new TextEncoder().encode(this.text)
    return this.sent
  }
}

/** A reply that goes on: events as text, in the form of `text/event-stream`. */
export class EventStream {
  readonly text: Readable

  constructor(text: Readable) {
    this.text = text
  }
}

type RawContent = string | Uint8Array | Readable

type ReplyBodyValue<B> = B extends RawBody
  ? // A function where the body is dear to make: it is not called for a client that has it already.
    { readonly body: RawContent | (() => RawContent | Promise<RawContent>) }
  : B extends NoBody
    ? { readonly body?: undefined }
    : B extends z.ZodType
      ? { readonly body: z.input<B> | Written<z.input<B>> | EventStream }
      : never

export type Reply<E extends Endpoint> = {
  [Status in keyof E['replies'] & number]: {
    readonly status: Status
    readonly headers?: Record<string, string>
  } & ReplyBodyValue<E['replies'][Status]>
}[keyof E['replies'] & number]

// --- What a client gives and gets ------------------------------------------------------------------------------------

type Given<Schema, Name extends string> = Schema extends z.ZodType
  ? Record<never, never> extends z.input<Schema>
    ? { readonly [K in Name]?: z.input<Schema> }
    : { readonly [K in Name]: z.input<Schema> }
  : unknown

type GivenBody<E extends Endpoint> = E['request'] extends { readonly body: infer B }
  ? B extends z.ZodType
    ? undefined extends z.input<B>
      ? { readonly body?: z.input<B> }
      : { readonly body: z.input<B> }
    : { readonly body: FormData | Uint8Array | ReadableStream }
  : unknown

type GivenKey<E extends Endpoint> =
  E['idempotency'] extends IdempotencyFlavour<infer Required>
    ? Required extends true
      ? { readonly idempotencyKey: string }
      : { readonly idempotencyKey?: string }
    : unknown

export type ClientInput<E extends Endpoint> = Given<Part<E, 'params'>, 'params'> &
  Given<Part<E, 'query'>, 'query'> &
  Given<Part<E, 'headers'>, 'headers'> &
  GivenBody<E> &
  GivenKey<E>

export type ClientReply<E extends Endpoint> = {
  [Status in keyof E['replies'] & number]: {
    readonly status: Status
    readonly headers: Headers
    /** Of a raw reply: parsed where it is JSON, else its bytes. */
    readonly body: E['replies'][Status] extends z.ZodType
      ? z.output<E['replies'][Status]>
      : E['replies'][Status] extends RawBody
        ? unknown
        : undefined
  }
}[keyof E['replies'] & number]
