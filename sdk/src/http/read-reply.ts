import { PennypostError } from '../errors.ts'

// Far more than any JSON reply of the service.
const maxJsonCharacters = 64 * 1024 * 1024

/** The body of a response: parsed if it is JSON, otherwise its bytes. */
export async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 204 || response.status === 304 || type === '') {
    await response.body?.cancel().catch(() => {})
    return undefined
  }
  if (!/^application\/(\w+\+)?json/.test(type)) return new Uint8Array(await response.arrayBuffer())
  const text = await response.text()
  if (text === '' || text.length > maxJsonCharacters) return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new PennypostError({
      status: response.status,
      code: 'invalid-reply',
      detail: 'The reply is not JSON, although it says so.',
      cause,
    })
  }
}
