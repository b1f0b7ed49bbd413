import { PennypostError } from '../errors.ts'

// Far more than any reply of the service but a file, and `download` is for those. A reply without an end would fill the memory.
const maxBytes = 64 * 1024 * 1024

/** The body of a response: parsed if it is JSON, otherwise its bytes. */
export async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 204 || response.status === 304 || type === '' || response.body === null) {
    await response.body?.cancel().catch(() => {})
    return undefined
  }
  const bytes = await readBytes(response, response.body)
  if (!/^application\/(\w+\+)?json/.test(type)) return bytes
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw invalidReply(response, 'The reply is not JSON, although it says so.', cause)
  }
}

async function readBytes(response: Response, body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    length += value.length
    if (length > maxBytes) {
      await reader.cancel().catch(() => {})
      throw invalidReply(response, `The reply has more than ${maxBytes} bytes. Files can be read with \`download\`.`)
    }
    parts.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const invalidReply = ({ status }: Response, detail: string, cause?: unknown) =>
  new PennypostError({ status, code: 'invalid-reply', detail, cause })
