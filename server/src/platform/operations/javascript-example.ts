import { type LiteralStyle, literal } from './literal.ts'
import type { ExampleBody, RequestExample } from './request-example.ts'

const style: LiteralStyle = { constants: {}, bareKeys: true }

/** The request as a program that uses our SDK. */
export function javascriptExample(example: RequestExample, origin: string): string {
  const { name, params, query, headers, idempotencyKey, token, body } = example
  const given = Object.entries({ params, query, headers }).filter(([, values]) => Object.keys(values).length > 0)
  const fields = [
    ...given.map(([key, values]) => `${key}: ${literal(values, style, '  ')}`),
    ...(idempotencyKey === undefined ? [] : [`idempotencyKey: '${idempotencyKey}'`]),
    ...(body ? [bodyField(body)] : []),
  ]
  const input = fields.length === 0 ? '' : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`
  const options = token === undefined ? '' : `${input === '' ? '{}' : ''}, { token: process.env.${token} }`
  return `${body && body.kind !== 'json' ? "import { openAsBlob } from 'node:fs'\n" : ''}import { Pennypost } from '@pennypost/sdk'

const pennypost = new Pennypost({ baseUrl: '${origin}' })
${formLines(body)}const reply = await pennypost.operations.${name}(${input}${options})
console.log(reply.status, reply.body)`
}

function bodyField(body: ExampleBody): string {
  if (body.kind === 'json') return `body: ${literal(body.value, style, '  ')}`
  return body.kind === 'bytes' ? "body: await openAsBlob('file')" : 'body: form'
}

function formLines(body: ExampleBody | undefined): string {
  if (body?.kind !== 'form') return ''
  const fields = Object.entries(body.fields).map(
    ([name, value]) => `form.append(${literal(name, style)}, ${literal(String(value), style)})\n`,
  )
  return `const form = new FormData()\n${fields.join('')}form.append('${body.file}', await openAsBlob('file'), 'file')\n`
}
