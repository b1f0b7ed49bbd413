import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import { ReplyTooLarge } from './public-request.ts'

// Requests to servers that the settings name. Not with `fetch`: its first call compiles a parser to machine code, which takes
// 28 MB for a moment, and the process keeps 13.

interface ServerRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  readonly maxBytes: number
}

interface ServerReply {
  readonly status: number
  readonly text: string
}

// Less than the five seconds after which most servers close an idle connection, so that no request is sent on a connection
// that is just closing.
const keepAlive = { keepAlive: true, timeout: 4_000 }
const agent = new Agent(keepAlive)
const secureAgent = new SecureAgent(keepAlive)

// No compression: nothing here decompresses replies.
const ownHeaders = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'node' }

/** Sends a request and reads the whole reply. Redirects are refused. Rejects with the signal's reason if it is aborted. */
export async function sendToServer(
  url: string,
  { method, headers, body, signal, maxBytes }: ServerRequest,
): Promise<ServerReply> {
  signal.throwIfAborted()
  const options = { method, headers: { ...ownHeaders, ...headers }, signal }
  try {
    return await new Promise((resolve, reject) => {
      const read = (response: IncomingMessage) => void readReply(response, maxBytes).then(resolve, reject)
      const target = new URL(url)
      const sent =
        target.protocol === 'https:'
          ? requestHttps(target, { ...options, agent: secureAgent }, read)
          : requestHttp(target, { ...options, agent }, read)
      sent.on('error', reject)
      // Without a listener, Node closes the connection and reports nothing.
      sent.on('upgrade', (_, socket) => {
        socket.destroy()
        reject(new Error('unexpected upgrade'))
      })
      sent.end(body)
    })
  } catch (error) {
    signal.throwIfAborted()
    // Where several addresses were tried, the error has no message.
    if (error instanceof AggregateError && error.message === '')
      error.message = String((error as NodeJS.ErrnoException).code)
    throw error
  }
}

async function readReply(response: IncomingMessage, maxBytes: number): Promise<ServerReply> {
  const status = response.statusCode ?? 0
  if (status >= 300 && status < 400 && response.headers.location !== undefined) {
    response.destroy()
    throw new Error('unexpected redirect')
  }
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    size += part.length
    // Leaving the loop destroys the connection.
    if (size > maxBytes) throw new ReplyTooLarge(`the reply has more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return { status, text: Buffer.concat(parts).toString() }
}
