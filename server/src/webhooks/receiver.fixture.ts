import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface ReceivedCall {
  readonly path: string
  readonly id: string
  readonly text: string
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> }
  /** Whether a signature was made with this secret, as Standard Webhooks describes it. */
  isSignedWith(secret: string): boolean
}

/**
 * A program that receives events. It replies with the statuses in `nextStatuses`, then 200; 0 means no reply. Each reply
 * takes as long as the next of `delaysMs` says.
 */
export async function receiver(t: TestContext) {
  const calls: ReceivedCall[] = []
  const nextStatuses: number[] = []
  const delaysMs: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const header = (name: string) => String(request.headers[name])
      const id = header('webhook-id')
      calls.push({
        path: request.url!,
        id,
        text,
        body: JSON.parse(text),
        isSignedWith(secret) {
          const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
          const signed = `${id}.${header('webhook-timestamp')}.${text}`
          const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
          return header('webhook-signature').split(' ').includes(expected)
        },
      })
      const status = nextStatuses.shift() ?? 200
      const reply = () => response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
      if (status === 0) request.socket.destroy()
      else setTimeout(reply, delaysMs.shift() ?? 0)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return { calls, nextStatuses, delaysMs, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}
