import { type LiteralStyle, literal } from './literal.ts'
import type { RequestExample } from './request-example.ts'

const style: LiteralStyle = { constants: { true: 'True', false: 'False', null: 'None' }, bareKeys: false }

/** The request as a Python program that needs nothing but the standard library. */
export function pythonExample({ method, url, token, idempotencyKey, headers, body }: RequestExample): string {
  const lines = [
    ...(idempotencyKey === undefined ? [] : [['Idempotency-Key', idempotencyKey]]),
    ...Object.entries(headers),
    ...(body?.kind === 'json' ? [['Content-Type', 'application/json']] : []),
    ...(body?.kind === 'bytes' ? [['Content-Type', body.contentType]] : []),
  ].map(([name, value]) => `    ${literal(name, style)}: ${literal(value, style)},\n`)
  const credential = token === undefined ? '' : `    'Authorization': f"Bearer {os.environ['${token}']}",\n`
  const form = body?.kind === 'form' ? formLines(body.fields, body.file) : ''
  const boundary = form === '' ? '' : "    'Content-Type': f'multipart/form-data; boundary={boundary}',\n"
  const all = credential + boundary + lines.join('')
  const data = body && {
    json: 'data=json.dumps(body).encode()',
    bytes: "data=open('file', 'rb').read()",
    form: 'data=form',
  }
  const args = [
    literal(url, style),
    ...(method === 'GET' ? [] : [`method='${method}'`]),
    ...(all === '' ? [] : [`headers={\n${all}}`]),
    ...(data && body ? [data[body.kind]] : []),
  ]
  const modules = [
    body?.kind === 'json' && 'json',
    token !== undefined && 'os',
    'urllib.request',
    form !== '' && 'uuid',
  ]
  return `${modules
    .filter((name) => name !== false)
    .map((name) => `import ${name}\n`)
    .join('')}
${body?.kind === 'json' ? `body = ${literal(body.value, style)}\n` : form}request = urllib.request.Request(${args.join(', ')})
with urllib.request.urlopen(request) as reply:
    print(reply.status, reply.read().decode())`
}

/** The standard library does not write forms, so the sample does. */
function formLines(fields: Readonly<Record<string, unknown>>, file: string): string {
  return `boundary = uuid.uuid4().hex
fields = ${literal(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])), style)}
form = ''.join(
    f'--{boundary}\\r\\nContent-Disposition: form-data; name="{name}"\\r\\n\\r\\n{value}\\r\\n'
    for name, value in fields.items()
).encode() + (
    f'--{boundary}\\r\\nContent-Disposition: form-data; name="${file}"; filename="file"\\r\\n\\r\\n'
).encode() + open('file', 'rb').read() + f'\\r\\n--{boundary}--\\r\\n'.encode()
`
}
