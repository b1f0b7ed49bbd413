import type { ExampleBody, RequestExample } from './request-example.ts'

/** The request as a curl command. */
export function curlExample({ method, url, token, idempotencyKey, headers, body }: RequestExample): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(token === undefined ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...(idempotencyKey === undefined ? [] : [header('Idempotency-Key', idempotencyKey)]),
    ...Object.entries(headers).map(([name, value]) => header(name, value)),
    ...(body ? bodyParts(body) : []),
  ]
  return parts.join(' \\\n  ')
}

function bodyParts(body: ExampleBody): string[] {
  if (body.kind === 'json') return [header('Content-Type', 'application/json'), `-d ${quoted(jsonText(body.value))}`]
  if (body.kind === 'bytes') return [header('Content-Type', body.contentType), '--data-binary @file']
  const fields = Object.entries(body.fields).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`)
  return [...fields, `-F ${quoted(`${body.file}=@file`)}`]
}

function jsonText(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 60 ? line : JSON.stringify(value, null, 2)
}

const header = (name: string, value: string): string => `-H ${quoted(`${name}: ${value}`)}`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
