/** One operation of the API, as the table of operations has it. */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly credentials: readonly Credential[]
  readonly errors: 'problem' | 'h3' | 'page'
  /** The statuses of its replies. Every other status is an error. */
  readonly replies: readonly number[]
  readonly body?: 'json' | 'form' | 'bytes'
  /** Takes an `Idempotency-Key`: sending the same request again counts once. */
  readonly idempotent?: true
  /** Can be paid with x402. */
  readonly paid?: true
}

export type Credential = 'none' | 'owner-session' | 'publishing-key' | 'poll-secret' | 'checkout-credential'

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, a download or an event stream. */
  signal?: AbortSignal | undefined
  /** A bearer token for this call instead of those of the client, such as the credential of a checkout. */
  token?: string | undefined
}

/** The reply of an operation. */
export interface Reply<Status extends number, Body> {
  readonly status: Status
  readonly headers: Headers
  readonly body: Body
}

export type NoInput = Record<string, never>

export type Operation<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>
export type OptionalOperation<Input, Output> = (input?: Input, options?: CallOptions) => Promise<Output>

/** An operation whose changes can be followed. */
export interface Events<Input, Data> {
  /** Connects once and yields each event, until the service ends the stream or you leave the loop. */
  events(input: Input, options?: CallOptions): AsyncGenerator<ServerEvent<Data>, void>
}

/** One event of a stream. `data` is the same record that the operation returns without a stream. */
export interface ServerEvent<Data> {
  readonly event: string
  readonly data: Data
}

/** An operation whose reply is a file. */
export interface Downloads<Input> {
  /** Returns the bytes as a stream instead of holding them in memory. */
  download(input: Input, options?: CallOptions): Promise<Download>
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
