import { errorOf, PennypostError } from './errors.ts'
import type { TokenPair } from './generated/types.ts'
import { readBody } from './http/read-body.ts'
import { pause } from './http/send.ts'
import { readJson, type Store, withLock, writeJson } from './store.ts'

/** The tokens of a signed-in account. */
export interface Session {
  accessToken: string
  refreshToken: string
  /** When the access token expires, in Unix seconds. */
  expiresAt: number
}

export interface SessionParts {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly store: Store
  readonly timeoutMs: number
}

const lockName = 'session refresh'
// The service returns the same pair for ten seconds if the response to a refresh was lost.
const lostReplyMs = 8_000
const refreshBeforeSeconds = 30

/**
 * The session of a client. A refresh token works once, so only one request refreshes at a time: those that wait for it, in
 * other tabs too, use the tokens that it saved.
 */
export class SessionKeeper {
  readonly #parts: SessionParts
  /** With the service, because a token must not reach another one that shares the store. */
  readonly #key: string
  readonly #given: Session | undefined
  #seeding: Promise<void> | undefined

  constructor(parts: SessionParts, given: Session | undefined) {
    this.#parts = parts
    this.#key = `session ${parts.baseUrl}`
    this.#given = given
  }

  /** The current tokens, or undefined for a client that is not signed in. */
  async current(): Promise<Session | undefined> {
    this.#seeding ??= this.#seed()
    await this.#seeding
    return this.#saved()
  }

  /** Saves the tokens of a sign-in. Later requests use them. */
  async use(session: Session): Promise<void> {
    this.#seeding = Promise.resolve()
    await this.#save(session)
  }

  /** Forgets the tokens. They stay valid: `signOut` ends them. */
  async forget(): Promise<void> {
    this.#seeding = Promise.resolve()
    await this.#parts.store.delete(this.#key)
  }

  /** An access token that is not about to expire, or undefined without a session. */
  async accessToken(): Promise<string | undefined> {
    const session = await this.current()
    if (session === undefined || session.expiresAt - refreshBeforeSeconds > Date.now() / 1000)
      return session?.accessToken
    return (await this.refreshed(session.accessToken))?.accessToken
  }

  /** New tokens in place of an access token that was refused or expires. A second caller gets those of the first. */
  async refreshed(refused: string): Promise<Session | undefined> {
    await this.current()
    return withLock(this.#parts.store, lockName, async () => {
      const session = await this.#saved()
      if (session === undefined || session.accessToken !== refused) return session
      const pair = await this.#exchange(session.refreshToken)
      await this.#save(pair)
      return pair
    })
  }

  /**
   * Saves the tokens that the program passed, once, unless the store has newer ones. A program that starts again passes
   * those of its first sign-in, and refreshing with them would end the session.
   */
  async #seed(): Promise<void> {
    const given = this.#given
    if (given === undefined) return
    await withLock(this.#parts.store, lockName, async () => {
      const saved = await this.#saved()
      if (saved === undefined || saved.expiresAt < given.expiresAt) await this.#save(given)
    })
  }

  #saved(): Promise<Session | undefined> {
    return readJson<Session>(this.#parts.store, this.#key)
  }

  #save({ accessToken, refreshToken, expiresAt }: Session): Promise<void> {
    return writeJson(this.#parts.store, this.#key, { accessToken, refreshToken, expiresAt })
  }

  async #exchange(refreshToken: string): Promise<TokenPair> {
    const startedAt = Date.now()
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.#send(refreshToken)
      if (!(reply instanceof PennypostError)) return reply
      // An ended session does not come back, so later requests go without.
      if (reply.code === 'session-expired') await this.forget()
      const isTemporary = reply.status === 0 || reply.status === 429 || reply.status >= 502
      const waitMs = (reply.retryAfterSeconds ?? attempt) * 1000
      if (!isTemporary || Date.now() - startedAt + waitMs > lostReplyMs) throw reply
      await pause(waitMs)
    }
  }

  async #send(refreshToken: string): Promise<TokenPair | PennypostError> {
    const { baseUrl, fetch, timeoutMs } = this.#parts
    const operation = 'refreshSession'
    try {
      const response = await fetch(`${baseUrl}/api/v1/auth/refresh`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ refreshToken }),
        // A redirect would take the token to another server.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const body = await readBody(response)
      if (!response.ok) return errorOf(operation, response.status, response.headers, body)
      if (isTokenPair(body)) return body
      // Saved, it would replace the only token that still works.
      const detail = 'The session could not be refreshed: the reply has no tokens.'
      return new PennypostError({ operation, status: response.status, code: 'invalid-reply', detail })
    } catch (cause) {
      if (cause instanceof PennypostError) return cause
      const detail = 'The session could not be refreshed: the connection failed.'
      return new PennypostError({ operation, code: 'network-error', detail, cause, isUncertain: true })
    }
  }
}

const isTokenPair = (body: unknown): body is TokenPair => {
  const { accessToken, refreshToken, expiresAt } = (body ?? {}) as Partial<Record<keyof TokenPair, unknown>>
  return typeof accessToken === 'string' && typeof refreshToken === 'string' && typeof expiresAt === 'number'
}
