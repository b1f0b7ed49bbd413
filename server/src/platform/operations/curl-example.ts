import type { Credential } from '@pennypost/contract/credential'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { exampleOf } from '@pennypost/contract/example'
import { operationExamples } from '@pennypost/contract/operation-examples'
import type { z } from 'zod'

/** The shell variable that the reference uses for each credential. */
export const tokenVariables: Readonly<Record<Exclude<Credential, 'none'>, string>> = {
  'owner-session': 'OWNER_SESSION',
  'publishing-key': 'PUBLISHING_KEY',
  'poll-secret': 'POLL_SECRET',
  'checkout-credential': 'CHECKOUT_CREDENTIAL',
}

/** The request as a curl command, with required parts only. */
export function curlExample(name: string, endpoint: Endpoint, origin: string): string {
  const { params, query, headers } = endpoint.request ?? {}
  const values = examplesIn(params)
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(requiredIn(query))) search.append(name, String(value))
  const address = origin + path + (search.size > 0 ? `?${search}` : '')
  const credential = credentialsOf(endpoint).find((kind) => kind !== 'none')
  const parts = [
    `curl${endpoint.method === 'GET' ? '' : ` -X ${endpoint.method}`} ${quoted(address)}`,
    ...(credential ? [`-H "Authorization: Bearer $${tokenVariables[credential]}"`] : []),
    ...(endpoint.idempotency ? [header('Idempotency-Key', '5d0c1d6e-58c7-4f3e-a5a9-1f0e0f6f7c11')] : []),
    ...Object.entries(requiredIn(headers)).map(([name, value]) => header(name, String(value))),
    ...bodyParts(name, endpoint),
  ]
  return parts.join(' \\\n  ')
}

function bodyParts(name: string, endpoint: Endpoint): string[] {
  const body = endpoint.request?.body
  if (!body) return []
  if (!('kind' in body)) return [header('Content-Type', 'application/json'), `-d ${quoted(jsonText(name, body))}`]
  if (body.kind === 'stream') return [header('Content-Type', body.contentType), '--data-binary @file']
  const fields = Object.entries(requiredIn(body.fields)).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`)
  return [...fields, `-F ${quoted(`${body.file.field}=@file`)}`]
}

function jsonText(name: string, body: z.ZodType): string {
  const value = operationExamples[name]?.body ?? exampleOf(body, 'body')
  const line = JSON.stringify(value)
  return line.length <= 60 ? line : JSON.stringify(value, null, 2)
}

const examplesIn = (schema: z.ZodObject | undefined): Record<string, unknown> =>
  schema ? (exampleOf(schema, '') as Record<string, unknown>) : {}

// `exampleOf` shows every field of an object that requires none, which would clutter a query.
function requiredIn(schema: z.ZodObject | undefined): Record<string, unknown> {
  const isNeeded = schema && !schema.safeParse({}).success
  return isNeeded ? examplesIn(schema) : {}
}

const header = (name: string, value: string): string => `-H ${quoted(`${name}: ${value}`)}`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
