import { liveKey } from '../../server/dist/accounts/key-store.js'
import { liveSession } from '../../server/dist/accounts/session-store.js'
import { register } from '../register.mjs'

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
        label: 'GET /api/v1/me with a publishing key',
        request: { path: '/api/v1/me', headers: { authorization: `Bearer ${key}` } },
        references: [
          { kind: 'same-sql', statements: [{ text: liveKey.text, values: [keyId, now] }] },
          { kind: 'unchecked', caller: publisher, statement: liveKey, values: [keyId, now], atLeast: 0.75 },
        ],
      },
    ]
  },
}
