import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { liveKey } from '../../server/dist/accounts/key-store.js'
import { liveSession } from '../../server/dist/accounts/session-store.js'

export default {
  name: 'accounts',
  title: 'Accounts',
  async routes({ origin }) {
    const { token, key, keyId, accountId, sessionId } = await register(origin)
    const now = new Date().toISOString()
    const session = { kind: 'owner-session', accountId, sessionId, isAnonymous: false, expiresAt: now }
    const publisher = { kind: 'publishing-key', accountId, keyId, expiresAt: now }
    return [
      {
        label: 'GET /api/v1/me with a session',
        request: { path: '/api/v1/me', headers: { authorization: `Bearer ${token}` } },
        references: [
          { kind: 'same-sql', statements: [{ text: liveSession.text, values: [sessionId, now] }] },
          { kind: 'unchecked', caller: session, statement: liveSession, values: [sessionId, now], atLeast: 0.75 },
        ],
      },
      {
        label: 'GET /api/v1/me with a Publishing key',
        request: { path: '/api/v1/me', headers: { authorization: `Bearer ${key}` } },
        references: [
          { kind: 'same-sql', statements: [{ text: liveKey.text, values: [keyId, now] }] },
          { kind: 'unchecked', caller: publisher, statement: liveKey, values: [keyId, now], atLeast: 0.75 },
        ],
      },
    ]
  },
}

/** Registers as anybody would. */
async function register(origin) {
  const send = async (path, body, headers = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    return (await fetch(origin + path, init)).json()
  }
  const id = randomUUID()
  const email = `bench-${id}@example.com`
  const wish = { email, name: 'Bench', handle: `bench_${id.slice(0, 8)}`, acceptedTerms: true }
  await send('/api/v1/registrations', wish, { 'idempotency-key': id })
  const { accessToken: token } = await send(`/api/v1/registrations/${id}/verify`, {
    code: await codeFor(origin, email),
  })
  const { key, apiKey } = await send(`/api/v1/registrations/${id}/api-key`, {}, { authorization: `Bearer ${token}` })
  const { sub: accountId, sid: sessionId } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  return { token, key, keyId: apiKey.keyId, accountId, sessionId }
}

async function codeFor(origin, email) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { messages } = await (await fetch(`${origin}/dev/mail?to=${encodeURIComponent(email)}`)).json()
    if (messages[0]?.code) return messages[0].code
    await wait(50)
  }
  throw new Error('No code came.')
}
