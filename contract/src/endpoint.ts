import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { MultipartBody, NoBody, RawBody, ReceivedFile, StreamBody, UrlEncodedBody } from './body.ts'
import type { Callers, Credential } from './credential.ts'
import type { IdempotencyFlavour } from './idempotency.ts'
import type { Limit } from './limit.ts'
import type { Refusal } from './refusal.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** How a refusal is rendered: as problem JSON, as an H3 error, as an HTML page for a person, or as OAuth says (RFC 6749). */
export type ErrorFamily = 'problem' | 'h3' | 'page' | 'oauth'
export type CacheRule =
  | 'private'
  | 'no-store'
  | 'immutable'
  | { readonly seconds: number; readonly staleSeconds?: number; readonly mustRevalidate?: true }
export type RequestBody = z.ZodType | MultipartBody | StreamBody | UrlEncodedBody
export type ReplyBody = z.ZodType | RawBody | NoBody

/** The declaration of one operation. Routing, validation, documentation and types are all derived from it. */
export interface Endpoint {
  readonly method: Method
  /** Parameters are written as `{name}`. */
  readonly path: string
  /** The chapter of the API reference that lists it. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** The accepted credential, or a list of them; `none` in a list makes the credential optional. */
  readonly credential: Credential | readonly Credential[]
  readonly request?: {
    readonly params?: z.ZodObject
    readonly query?: z.ZodObject
    readonly headers?: z.ZodObject
    readonly body?: RequestBody
  }
  readonly replies: { readonly [status: number]: ReplyBody }
  /** Describes the events that a client gets instead of the 200 body when it accepts `text/event-stream`. */
  readonly events?: string
  /** Response headers, each with its description. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  readonly refusals?: readonly Refusal[]
  readonly errors: ErrorFamily
  /** Refusals of an upload, other than 400 and 404, say how to look the upload up: they carry `recovery`. */
  readonly recovers?: true
  readonly idempotency?: IdempotencyFlavour
  /** The status for a body that does not match its schema: 422 unless declared otherwise. */
  readonly invalidBody?: 400 | 422
  /** For JSON bodies that may be larger than 16 KiB. */
  readonly maxBodyBytes?: number
  /** The body is never parsed. For mail programs that post their own form to a URL that already holds everything. */
  readonly ignoresBody?: true
  /** While others read, requests of these endpoints wait for each other, so that a flood of them slows down nobody else. */
  readonly givesWay?: true
  /** Concurrent requests for one URL cost hardly more than one, because they share one rendering. */
  readonly sharesWork?: 'always' | 'without-query'
  readonly limits?: readonly Limit[]
  /** Limits that the handler enforces, because not every request counts. */
  readonly handlerLimits?: readonly Limit[]
  /** Where a 429 puts the seconds to wait: in the header only, or also in the body. */
  readonly retryHint?: 'header' | 'body'
  /** Default: private for operations that need a credential, otherwise `no-store`. */
  readonly cache?: CacheRule
  /** The 402 reply can be paid by x402 clients. `minUsd` is the smallest possible price in US dollars, if there is one. */
  readonly paidWith?: { readonly protocol: 'x402'; readonly minUsd?: string }
  /** Replies carry an `ETag`, and a matching `If-None-Match` gets 304. */
  readonly conditional?: true
  /** Where a 401 sends programs that want to sign in a person (RFC 9728). */
  readonly resourceMetadata?: string
  /** Scripts on other origins cannot read its replies. */
  readonly sameOriginOnly?: true
  /** For monitoring: served even while the service is overloaded. */
  readonly isProbe?: true
  /**
   * May be a few seconds old for clients without a credential: they are read from a replica of the database, if there is
   * one. `without-query` is for a page whose query may be the token of a link, whose use is counted.
   */
  readonly fromReplica?: 'always' | 'without-query'
  /** Replies are compressed for clients that accept it. Only for public, `conditional` replies without secrets. */
  readonly compressed?: true
}

/**
 * Declares an operation, and checks at load time what the types cannot express.
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

/** Operations by name. The name is the `operationId`. */
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
    : B extends UrlEncodedBody<infer Fields>
      ? z.output<Fields>
      : B extends StreamBody
        ? AsyncIterable<Uint8Array>
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

/** Headers in which a client describes itself, for statistics. Anyone can send anything here. */
export interface Visit {
  readonly userAgent: string | undefined
  readonly referrer: string | undefined
  readonly cookie: string | undefined
}

export interface Call<E extends Endpoint> {
  readonly caller: CallerOf<E>
  readonly params: Parsed<Part<E, 'params'>>
  readonly query: Parsed<Part<E, 'query'>>
  readonly headers: Parsed<Part<E, 'headers'>>
  readonly body: BodyOf<E>
  readonly idempotencyKey: KeyOf<E>
  /** The client's IP address; forwarding headers count only when they come from a trusted proxy. */
  readonly ip: string
  readonly visit: Visit
  /** The trusted origin that this request was sent to. URLs in replies start with it. */
  readonly origin: string
  /** Whether the client has closed the connection, so that nobody waits for the reply. */
  readonly hasLeft: () => boolean
}

/** A body that is already serialized to JSON by its schema. Lists are assembled from such parts. */
export class Written<Body> {
  readonly text: string
  /** Exists for the type checker only. */
  declare readonly body: Body
  private sent: 'never' | 'once' | Uint8Array = 'never'

  constructor(text: string) {
    this.text = text
  }

  /**
   * The text on first use, cached bytes from the second use on. Encoding every reply into a buffer, including the ones
   * that are never requested again, was the largest load on the garbage collector.
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

/** A reply that stays open and sends events as `text/event-stream`. */
export class EventStream {
  readonly text: Readable

  constructor(text: Readable) {
    this.text = text
  }
}

type RawContent = string | Uint8Array | Readable

type ReplyBodyValue<B> = B extends RawBody
  ? // A function if the body is expensive to produce: it is not called when the client's copy is still current.
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
    : B extends StreamBody
      ? KnownBytes | BytesOfStatedLength
      : { readonly body: FormData | URLSearchParams }
  : unknown

/** Bytes that know their own length. */
interface KnownBytes {
  readonly body: Blob | Uint8Array | ArrayBuffer
  readonly contentLength?: number
}

/** Bytes from a web stream, a Node stream or a generator. The service wants their number before the first one. */
interface BytesOfStatedLength {
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  readonly contentLength: number
}

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
    /** A raw reply is parsed if it is JSON; otherwise this is its bytes, a `Uint8Array`. */
    readonly body: E['replies'][Status] extends z.ZodType
      ? z.output<E['replies'][Status]>
      : E['replies'][Status] extends RawBody
        ? unknown
        : undefined
  }
}[keyof E['replies'] & number]
