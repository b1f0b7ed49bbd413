import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TokenPair } from '@pennypost/contract/sessions'
import { decodeProtectedHeader, exportJWK, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../platform/clock.ts'
import { entriesAtMost } from '../platform/entries-at-most.ts'
import type { Origins } from '../platform/http/origins.ts'
import { generationsOf, type Secrets } from '../platform/secrets.ts'
import { type SigningKey, signingKey } from '../platform/signing-key.ts'
import type { RefreshClaims, Session } from './session-store.ts'

export interface AccessClaims {
  readonly accountId: string
  readonly sessionId: string
  readonly expiresAt: Date
}

/** Creates and reads the tokens of owner sessions. They are derived from the session's row, so no token is stored. */
export interface SessionTokens {
  /** The tokens of a session's current generation. The same row always gives the same tokens. */
  pair(session: Session): Promise<TokenPair>
  readAccess(token: string): Promise<AccessClaims | undefined>
  readRefresh(token: string): RefreshClaims | undefined
  publicKeys(): Promise<{ keys: object[] }>
}

const accessSeconds = 3600
const prefixes = { email: 'svcer_', wallet: 'svcwr_' } as const
const macBytes = 20
const maxVerified = 10_000

export function sessionTokens(secrets: Secrets, origins: Origins, clock: Clock): SessionTokens {
  const { privateKey, keyId } = signingKey(secrets.key('access-token'))
  const accessKeys = generationsOf(secrets).map((each) => signingKey(each.key('access-token')))
  // Verifying a signature costs more than the rest of a small request, and clients send the same token many times.
  const verified = new LRUCache<string, AccessClaims>(entriesAtMost(maxVerified))

  const refreshToken = (from: Secrets, kind: Session['kind'], sessionId: string, generation: number): string => {
    const refreshKey = from.key('refresh-token')
    const content = Buffer.alloc(20)
    content.write(sessionId.replaceAll('-', ''), 'hex')
    content.writeUInt32BE(generation, 16)
    const mac = createHmac('sha256', refreshKey).update(kind).update(content).digest().subarray(0, macBytes)
    return prefixes[kind] + Buffer.concat([content, mac]).toString('base64url')
  }

  const accessToken = (session: Session, issuedAt: number, expiresAt: number): Promise<string> =>
    // EdDSA is deterministic: the same bytes always get the same signature. A retried refresh depends on that.
    new SignJWT({ sid: session.id, gen: session.generation })
      .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: 'JWT' })
      .setIssuer(origins.base)
      .setSubject(session.account_id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(privateKey)

  return {
    async pair(session) {
      const issuedAt = Math.floor(session.rotated_at.getTime() / 1000)
      const expiresAt = Math.min(issuedAt + accessSeconds, Math.floor(session.expires_at.getTime() / 1000))
      return {
        accessToken: await accessToken(session, issuedAt, expiresAt),
        refreshToken: refreshToken(secrets, session.kind, session.id, session.generation),
        tokenType: 'Bearer',
        expiresAt,
        expiresIn: expiresAt - issuedAt,
      }
    },

    async readAccess(token) {
      // Not a JWT, for example a publishing key. No need to verify it.
      if (!token.startsWith('eyJ')) return undefined
      const known = verified.get(token)
      const claims = known ?? (await verifyAccess(token, accessKeys, origins.base, clock.now()))
      if (!claims || claims.expiresAt <= clock.now()) return undefined
      if (!known) verified.set(token, claims)
      return claims
    },

    readRefresh(token) {
      const kind = token.startsWith(prefixes.wallet) ? 'wallet' : 'email'
      if (!token.startsWith(prefixes[kind])) return undefined
      const bytes = Buffer.from(token.slice(prefixes[kind].length), 'base64url')
      if (bytes.length !== 20 + macBytes) return undefined
      const hex = bytes.toString('hex', 0, 16)
      const sessionId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        '-',
      )
      const generation = bytes.readUInt32BE(16)
      const given = Buffer.from(token)
      const isOurs = generationsOf(secrets).some((each) => {
        const expected = Buffer.from(refreshToken(each, kind, sessionId, generation))
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
      return isOurs ? { sessionId, generation } : undefined
    },

    publicKeys: async () => ({
      keys: await Promise.all(
        accessKeys.map(async (each) => ({
          ...(await exportJWK(each.publicKey)),
          kid: each.keyId,
          alg: 'EdDSA',
          use: 'sig',
        })),
      ),
    }),
  }
}

async function verifyAccess(
  token: string,
  keys: readonly SigningKey[],
  issuer: string,
  now: Date,
): Promise<AccessClaims | undefined> {
  try {
    const { kid } = decodeProtectedHeader(token)
    const key = keys.find(({ keyId }) => keyId === kid)
    if (!key) return undefined
    const { payload } = await jwtVerify(token, key.publicKey, { algorithms: ['EdDSA'], issuer, currentDate: now })
    if (typeof payload.sub !== 'string' || typeof payload.sid !== 'string' || payload.exp === undefined)
      return undefined
    return { accountId: payload.sub, sessionId: payload.sid, expiresAt: new Date(payload.exp * 1000) }
  } catch {
    return undefined
  }
}
