import { useEffect, useRef, useState } from 'preact/hooks'
import { Field, Form, fieldText } from '../ui/form.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'
import { loadOperations, type Operation, type Parameter } from './open-api-document.ts'

/** Opens a dialog in which an operation can be called. */
export async function openTryDialog(name: string): Promise<void> {
  const operation = (await loadOperations()).get(name)
  if (!operation) return
  openDialog({ 'aria-label': `Try ${name}`, class: 'wide try' }, <TryOperation operation={operation} />)
}

const fieldName = ({ in: place, name }: Parameter): string => `${place} ${name}`

interface ShownReply {
  readonly status: string
  readonly text: string
}

/** A form with everything that the operation takes, and the reply. Without a token, the request is that of this browser. */
function TryOperation({ operation }: { readonly operation: Operation }) {
  const [received, setReceived] = useState<ShownReply>()
  const { operationId, method, path, parameters, bodyExample } = operation
  const reply = useRef<HTMLDivElement>(null)
  // Below a long form nobody would notice it.
  useEffect(() => reply.current?.scrollIntoView({ block: 'start' }), [received])
  return (
    <>
      <h2>{operationId}</h2>
      <p class="address">
        <b>{method}</b> {path}
      </p>
      <Form submit="Send" send={async (fields) => setReceived(await call(operation, fields))}>
        {() => (
          <>
            <Field label="Token" hint="Left empty, the request is sent as you are signed in here.">
              <input name="token" autocomplete="off" spellcheck={false} />
            </Field>
            {parameters.map((parameter) => (
              <Field key={fieldName(parameter)} label={`${parameter.name} (${parameter.in})`}>
                <input
                  name={fieldName(parameter)}
                  required={parameter.required}
                  autocomplete="off"
                  spellcheck={false}
                  defaultValue={parameter.required && parameter.in !== 'header' ? String(parameter.example ?? '') : ''}
                />
              </Field>
            ))}
            {bodyExample !== undefined && (
              <Field label="Body">
                <textarea name="body" rows={8} spellcheck={false} defaultValue={JSON.stringify(bodyExample, null, 2)} />
              </Field>
            )}
          </>
        )}
      </Form>
      {received && (
        <div role="status" ref={reply}>
          <p class="facts">{received.status}</p>
          <pre>
            <code>{received.text}</code>
          </pre>
        </div>
      )}
      <CloseButton />
    </>
  )
}

const maxTextLength = 20_000

async function call(operation: Operation, fields: FormData): Promise<ShownReply> {
  const given = operation.parameters
    .map((parameter) => ({ ...parameter, value: fieldText(fields, fieldName(parameter)) }))
    .filter(({ value }) => value !== '')
  const url = new URL(operation.path, location.origin)
  const headers = new Headers()
  let { path } = operation
  for (const { name, in: place, value } of given) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (place === 'query') url.searchParams.append(name, value)
    else headers.set(name, value)
  }
  url.pathname = path
  const token = fieldText(fields, 'token')
  if (token !== '') headers.set('authorization', `Bearer ${token}`)
  const body = fields.get('body')
  if (body !== null) headers.set('content-type', 'application/json')
  const { method } = operation
  const reply = await fetch(url, { method, headers, ...(body !== null && { body: String(body) }) })
  const text = readable(await reply.text())
  return {
    status: `${reply.status} ${reply.statusText}`.trim(),
    text: text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text,
  }
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
