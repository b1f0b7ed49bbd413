import type { KeyCaller, OwnerCaller } from '@pennypost/contract/credential'
import { insufficientScope, unauthorized } from '@pennypost/contract/errors'
import { mcpPath, resourceMetadataUrl } from '@pennypost/contract/oauth'
import type { OAuthScope } from '@pennypost/contract/oauth-scopes'
import { scopesOf } from '@pennypost/contract/operation-scopes'
import type { OwnerAccount } from '../accounts/caller-account.ts'
import type { Authenticators } from '../platform/http/handler.ts'
import { refuse } from '../platform/http/refuse.ts'
import { findLiveGrant } from './grant-store.ts'
import { accessSeconds, type Resource, readAccessToken, writeAccessToken } from './grant-tokens.ts'
import type { OAuthServices } from './services.ts'

type Parts = Pick<OAuthServices, 'pool' | 'clock' | 'secrets'>

/** A connected program with a token that works. */
export interface Program {
  readonly grantId: string
  readonly scopes: readonly OAuthScope[]
  readonly expiresAt: Date
  readonly account: OwnerAccount
}

/** Finds the program of an access token. Undefined if the token is for another resource, or no longer works. */
export async function findProgram(
  { pool, clock, secrets }: Parts,
  token: string,
  resource: Resource,
): Promise<Program | undefined> {
  const claims = readAccessToken(secrets, token)
  if (claims?.resource !== resource) return undefined
  const expiresAt = new Date(claims.issuedAt.getTime() + accessSeconds * 1000)
  if (expiresAt <= clock.now()) return undefined
  const grant = await findLiveGrant(pool, claims.grantId, clock.now())
  if (!grant || grant.generation < claims.generation) return undefined
  const { scopes, generation, last_used_at, ...account } = grant
  return { grantId: claims.grantId, scopes, expiresAt, account }
}

/**
 * For the MCP server: a token with which it calls our API for the program, inside this process. The token of the program
 * itself is refused there, because it is for the MCP server. Undefined if that token does not work.
 */
export async function apiTokenOfMcpProgram(parts: Parts, token: string): Promise<string | undefined> {
  const claims = readAccessToken(parts.secrets, token)
  const program = claims && (await findProgram(parts, token, 'mcp'))
  return program && writeAccessToken(parts.secrets, { ...claims, resource: 'api' })
}

/** The `WWW-Authenticate` header that tells a program where tokens for a resource come from (RFC 9728, section 5.1). */
export const bearerChallenge = (
  origin: string,
  path: '' | typeof mcpPath,
  parameters: Readonly<Record<string, string>> = {},
): string =>
  `Bearer ${Object.entries({ ...parameters, resource_metadata: resourceMetadataUrl(origin, path) })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`

/**
 * Finds the caller behind a program's token. An operation that no scope opens is refused to every program. The program
 * gets the caller of a publishing key wherever that is enough, and never more than a person could without signing in again.
 */
export const programAuthenticator =
  (parts: Parts): NonNullable<Authenticators['programs']> =>
  async (token, { operation, path, kinds, origin }) => {
    const isMcp = path === mcpPath
    const challenge = (parameters: Readonly<Record<string, string>>) => ({
      headers: { 'www-authenticate': bearerChallenge(origin, isMcp ? mcpPath : '', parameters) },
    })
    const isForAccounts = kinds.includes('owner-session') || kinds.includes('publishing-key')
    const program = isForAccounts ? await findProgram(parts, token, isMcp ? 'mcp' : 'api') : undefined
    if (!program) return refuse(unauthorized, {}, challenge({ error: 'invalid_token' }))
    const needed = scopesOf(operation)
    // The scopes of MCP tools are checked when the tools call our routes.
    if (!isMcp && !needed.some((scope) => program.scopes.includes(scope)))
      refuse(insufficientScope, {}, challenge({ error: 'insufficient_scope', ...(needed[0] && { scope: needed[0] }) }))
    return kinds.includes('publishing-key') ? publisher(program) : owner(program)
  }

function publisher({ grantId, scopes, expiresAt, account }: Program): KeyCaller {
  const { is_anonymous, is_admin, email, nano_address, nano_updated_at, base_address, base_updated_at, ...others } =
    account
  const { wallets, ...profile } = others
  return {
    kind: 'publishing-key',
    accountId: account.id,
    keyId: grantId,
    isBrowser: false,
    programScopes: scopes,
    expiresAt,
    account: { ...profile, receives_nano: nano_address !== null, receives_base: base_address !== null },
  }
}

/** The owner without what programs must not see, and without the powers of an administrator. */
const owner = ({ grantId, expiresAt, account }: Program): OwnerCaller => ({
  kind: 'owner-session',
  accountId: account.id,
  sessionId: grantId,
  isAnonymous: account.is_anonymous,
  expiresAt,
  account: {
    ...account,
    is_admin: false,
    email: null,
    nano_address: null,
    nano_updated_at: null,
    base_address: null,
    base_updated_at: null,
    wallets: null,
  },
})
