import { once } from 'node:events'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

export async function run({ origin, session }) {
  const received = Promise.withResolvers ? Promise.withResolvers() : deferred()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    response.writeHead(204).end()
    received.resolve({ headers: request.headers, text })
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const call = async (path, body) => {
    const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
    const reply = await fetch(`${origin}/api/v1/webhooks${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const answer = await reply.json()
    if (!reply.ok) throw new Error(JSON.stringify(answer).slice(0, 150))
    return answer
  }
  const { webhook, secret } = await call('', {
    url: `http://localhost:${server.address().port}/`,
    events: ['sale.created'],
  })
  await call(`/${webhook.id}/test`, {})
  const { headers, text } = await received.promise
  if (new Webhook(secret).verify(text, headers).type !== 'webhook.test') throw new Error(text.slice(0, 100))
}

function deferred() {
  let resolve
  const promise = new Promise((done) => {
    resolve = done
  })
  return { promise, resolve }
}
