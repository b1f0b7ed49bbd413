import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

/** Registers an account through the API; `common` are headers of all its requests. */
export async function register(origin, common = {}) {
  const send = async (path, json, headers = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...common, ...headers },
      body: JSON.stringify(json),
    }
    return (await fetch(origin + path, init)).json()
  }
  const id = randomUUID()
  const email = `bench-${id}@example.com`
  const body = { email, name: 'Bench', handle: `bench_${id.slice(0, 8)}`, acceptedTerms: true }
  await send('/api/v1/registrations', body, { 'idempotency-key': id })
  const { accessToken: token } = await send(`/api/v1/registrations/${id}/verify`, {
    code: await codeFor(origin, email),
  })
  const { key, apiKey } = await send(`/api/v1/registrations/${id}/api-key`, {}, { authorization: `Bearer ${token}` })
  const { sub: accountId, sid: sessionId } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  return { token, key, keyId: apiKey.keyId, accountId, sessionId, email, handle: body.handle }
}

async function codeFor(origin, email) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { messages } = await (await fetch(`${origin}/dev/mail?to=${encodeURIComponent(email)}`)).json()
    if (messages[0]?.code) return messages[0].code
    await wait(50)
  }
  throw new Error('No email with a code arrived.')
}
