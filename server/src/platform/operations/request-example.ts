import type { Credential } from '@pennypost/contract/credential'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { exampleOf } from '@pennypost/contract/example'
import { operationExamples } from '@pennypost/contract/operation-examples'
import type { z } from 'zod'

/** The environment variable that samples read each credential from. */
export const tokenVariables: Readonly<Record<Exclude<Credential, 'none'>, string>> = {
  'owner-session': 'OWNER_SESSION',
  'publishing-key': 'PUBLISHING_KEY',
  'poll-secret': 'POLL_SECRET',
  'checkout-credential': 'CHECKOUT_CREDENTIAL',
}

export type ExampleBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly contentType: string }
  | { readonly kind: 'form'; readonly fields: Readonly<Record<string, unknown>>; readonly file: string }

/** A request to an operation, with required parts only. Samples of every language are made from it. */
export interface RequestExample {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
  /** The variable that has the token. */
  readonly token: string | undefined
  readonly body: ExampleBody | undefined
}

export function requestExample(name: string, endpoint: Endpoint, origin: string): RequestExample {
  const { request = {} } = endpoint
  const params = examplesIn(request.params)
  const query = requiredIn(request.query)
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])))
  const search = new URLSearchParams(texts(query))
  const credential = credentialsOf(endpoint).find((kind) => kind !== 'none')
  return {
    name,
    method: endpoint.method,
    url: origin + path + (search.size > 0 ? `?${search}` : ''),
    params,
    query,
    headers: texts(requiredIn(request.headers)),
    idempotencyKey: endpoint.idempotency ? '5d0c1d6e-58c7-4f3e-a5a9-1f0e0f6f7c11' : undefined,
    token: credential && tokenVariables[credential],
    body: bodyOf(name, endpoint),
  }
}

function bodyOf(name: string, { request }: Endpoint): ExampleBody | undefined {
  const body = request?.body
  if (!body) return undefined
  if (!('kind' in body)) return { kind: 'json', value: operationExamples[name]?.body ?? exampleOf(body, 'body') }
  if (body.kind === 'stream') return { kind: 'bytes', contentType: body.contentType }
  // Only pages and OAuth libraries send these, and neither is in the reference.
  if (body.kind === 'url-encoded') return undefined
  return { kind: 'form', fields: requiredIn(body.fields), file: body.file.field }
}

const texts = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))

const examplesIn = (schema: z.ZodObject | undefined): Record<string, unknown> =>
  schema ? (exampleOf(schema, '') as Record<string, unknown>) : {}

// `exampleOf` shows every field of an object that requires none, which would clutter a query.
function requiredIn(schema: z.ZodObject | undefined): Record<string, unknown> {
  const isNeeded = schema && !schema.safeParse({}).success
  return isNeeded ? examplesIn(schema) : {}
}
