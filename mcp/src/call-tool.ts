import type { CallToolResult } from '@modelcontextprotocol/server'
import { PennypostError } from '@pennypost/sdk'
import type { z } from 'zod'
import { secretIn } from './look-for-secrets.ts'
import { paymentAdvice, paymentResponseKey } from './payments.ts'
import { PaymentNeeded, type Scope, type Tool, type ToolCall, ToolError, type ToolReply } from './tool.ts'
import { markUntrusted } from './untrusted.ts'

/** The caller has no credential, or one of the wrong kind. Over HTTP it becomes a 401. */
export class CredentialNeeded extends Error {
  readonly scope: Scope

  constructor(scope: Scope) {
    super(`This needs a credential for "${scope}".`)
    this.scope = scope
  }
}

/**
 * Runs a tool. Every expected "no" is a result with `isError`, so that the agent reads why. Only a missing credential is
 * thrown, and what is a bug.
 */
export async function callTool(tool: Tool, call: ToolCall, given: unknown): Promise<CallToolResult> {
  const secret = secretIn(given)
  if (secret !== undefined) return failure(secret)
  const input = tool.input.safeParse(given ?? {})
  if (!input.success) return failure(`The arguments are not valid. ${issuesOf(input.error)}`)
  try {
    return success(tool, await tool.run(call, input.data))
  } catch (error) {
    if (error instanceof PaymentNeeded) return paymentRequired(error)
    if (error instanceof ToolError || error instanceof RangeError) return failure(error.message)
    if (!(error instanceof PennypostError)) throw error
    if (error.status === 401) throw new CredentialNeeded(tool.scope ?? 'read')
    return failure(sentenceOf(error), {
      code: error.code,
      status: error.status,
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    })
  }
}

function success(tool: Tool, { data, text, untrustedText, paymentResponse }: ToolReply<object>): CallToolResult {
  // Drops what the schema does not name, and proves that the rest is as promised.
  const structuredContent = tool.output.parse(data)
  const hasUntrusted = 'notice' in structuredContent
  const words = untrustedText ?? JSON.stringify(structuredContent)
  const body = hasUntrusted ? markUntrusted(words) : words
  return {
    content: [{ type: 'text', text: text === undefined ? body : `${text}\n\n${body}` }],
    structuredContent,
    ...(paymentResponse !== undefined && { _meta: { [paymentResponseKey]: paymentResponse } }),
  }
}

export function failure(text: string, error?: Readonly<Record<string, unknown>>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }], ...(error && { _meta: { 'pennypost/error': error } }) }
}

/** The result that x402's tool-result binding requires: the same object twice, as structured content and as the first text. */
function paymentRequired(needed: PaymentNeeded): CallToolResult {
  return {
    isError: true,
    structuredContent: { ...needed.required },
    content: [
      { type: 'text', text: JSON.stringify(needed.required) },
      { type: 'text', text: paymentAdvice(needed) },
    ],
    ...(needed.response !== undefined && { _meta: { [paymentResponseKey]: needed.response } }),
  }
}

function sentenceOf({ code, detail, fieldErrors, retryAfterSeconds }: PennypostError): string {
  const fields = fieldErrors.slice(0, 10).map(({ field, message }) => `${field} ${message}.`)
  const wait = retryAfterSeconds === undefined ? [] : [`Wait ${Math.ceil(retryAfterSeconds)} seconds.`]
  return [`${code}: ${detail}`, ...fields, ...wait].join(' ')
}

const issuesOf = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 10)
    .map(({ path, message }) => `${path.join('.').slice(0, 100) || 'arguments'}: ${message.slice(0, 200)}.`)
    .join(' ')
