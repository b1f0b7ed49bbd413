import type { OperationRow } from '../operation.ts'

/** The input of any operation. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
}

/** A request that can be sent any number of times, always with the same bytes. */
export interface PreparedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Blob | Uint8Array | undefined
  /** Whether sending it a second time, after its response was lost, has the effect of sending it once. */
  readonly isRepeatable: boolean
}

export async function prepareRequest(
  { method, path, body: kind, idempotent }: OperationRow,
  input: AnyInput,
  { baseUrl, accept }: { baseUrl: string; accept: string },
): Promise<PreparedRequest> {
  const headers: Record<string, string> = { accept }
  for (const [name, value] of Object.entries(input.headers ?? {}))
    if (value !== undefined) headers[name.toLowerCase()] = String(value)
  // One key for all attempts, or the second would be a second order.
  if (idempotent) headers['idempotency-key'] = input.idempotencyKey ?? crypto.randomUUID()
  const { body, contentType } = await encode(input.body, kind)
  if (contentType !== undefined) headers['content-type'] = contentType
  return {
    method,
    url: `${baseUrl}${fillIn(path, input.params)}${queryText(input.query)}`,
    headers,
    body,
    isRepeatable: method === 'GET' || method === 'PUT' || idempotent === true,
  }
}

function fillIn(path: string, params: AnyInput['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params?.[name]
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is missing`)
    return encodeURIComponent(String(value))
  })
}

function queryText(query: AnyInput['query']): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) search.append(name, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

interface Encoded {
  readonly body: PreparedRequest['body']
  readonly contentType?: string
}

async function encode(body: unknown, kind: OperationRow['body']): Promise<Encoded> {
  if (body === undefined) return { body: undefined }
  if (body instanceof FormData) {
    // Written out once: `fetch` would choose a new boundary, and so other bytes, for each attempt.
    const form = new Response(body)
    return { body: new Uint8Array(await form.arrayBuffer()), contentType: form.headers.get('content-type')! }
  }
  const contentType = 'application/octet-stream'
  if (body instanceof Blob)
    return { body: kind === 'bytes' ? body.slice(0, body.size, contentType) : body, contentType }
  if (body instanceof Uint8Array) return { body, contentType }
  if (body instanceof ArrayBuffer) return { body: new Uint8Array(body), contentType }
  return { body: JSON.stringify(body), contentType: 'application/json' }
}
