import type { Pennypost } from '@pennypost/sdk'
import type { z } from 'zod'

/** The scope that a caller needs. The names are those of OAuth scopes. */
export type Scope = 'read' | 'interact' | 'publish' | 'earnings'

/** A file for an upload. */
export interface LocalFile {
  readonly name: string
  readonly blob: Blob
}

/** The context of tools. One is made for each request of `/mcp`, and one for a whole connection by stdio. */
export interface ToolContext {
  readonly pennypost: Pennypost
  /** Whether the client has a publishing key, and whether it has a session. */
  readonly hasKey: boolean
  readonly hasSession: boolean
  /** The wallet that pays on this machine. Undefined on the hosted server, which never holds a key. */
  readonly wallet?: Wallet | undefined
  /** Opens a file of this machine. Undefined on the hosted server. */
  readonly openFile?: ((path: string) => Promise<LocalFile>) | undefined
  /** How long a call may wait for a check or a payment. */
  readonly waitSeconds: number
}

export interface Wallet {
  readonly addresses: { readonly XNO?: string | undefined; readonly USDC?: string | undefined }
}

/** One call of a tool. */
export interface ToolCall extends ToolContext {
  /** The x402 payment that the client sent with the call, not yet checked. */
  readonly payment: unknown
  readonly signal: AbortSignal | undefined
}

export interface ToolReply<Data> {
  readonly data: Data
  /** The text of the reply, in place of the data as JSON. Other people's words go into `untrustedText`. */
  readonly text?: string | undefined
  readonly untrustedText?: string | undefined
  /** The outcome of the payment that the client sent. */
  readonly paymentResponse?: unknown
}

/** A 402: what has to be paid before the tool does anything. */
export class PaymentNeeded extends Error {
  readonly required: Readonly<Record<string, unknown>>
  readonly response: unknown

  constructor(required: object, response: unknown) {
    super('Payment required.')
    this.required = required as Readonly<Record<string, unknown>>
    this.response = response
  }
}

/** An expected "no", with a sentence for the agent. */
export class ToolError extends Error {}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** When to use it, and what it costs. */
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint: boolean
  }
  /** Whether its reply may be the request for a payment, in place of its output. */
  readonly asksForPayment?: true
  /** The scope that the caller needs. Undefined if it needs none. */
  readonly scope?: Scope
  /** Whether it exists on the hosted server only, or on the user's machine only. */
  readonly place?: 'hosted' | 'local'
  run(call: ToolCall, input: z.output<Input>): Promise<ToolReply<z.input<Output>>>
}

/** Declares a tool. Everything else is derived from it: the list, validation, the documentation and the tests. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(declared: Tool<Input, Output>): Tool =>
  declared as unknown as Tool

// Looking something up changes nothing. Others write what is found, so the world is open.
export const reads = { readOnlyHint: true, openWorldHint: true } as const
export const readsOwn = { readOnlyHint: true, openWorldHint: false } as const
