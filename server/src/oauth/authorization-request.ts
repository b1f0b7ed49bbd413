import { mcpPath, redirectNotAllowed, type showConsent } from '@pennypost/contract/oauth'
import { isScope, type OAuthScope } from '@pennypost/contract/oauth-scopes'
import type { z } from 'zod'
import type { Origins } from '../platform/http/origins.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Client } from './client.ts'
import type { Resource } from './grant-tokens.ts'
import { isSameRedirect, redirectKind } from './redirect-uri.ts'

export type AuthorizationQuery = z.output<typeof showConsent.request.query>

/** A request for authorization by a program. */
export interface AuthorizationRequest {
  readonly codeChallenge: string
  readonly scopes: OAuthScope[]
  readonly resource: Resource
}

/** Why a request is refused, as the program is informed. */
export interface AuthorizationError {
  readonly error: string
  readonly description: string
}

/**
 * The URI to send the browser back to. Refuses one that the program has not registered: it may be anyone's. Refuses pages of
 * this site, too, or anyone could have the consent page say that the site itself is asking.
 */
export function redirectUriOf(
  { redirectUris }: Client,
  given: string | undefined,
  { isTrusted }: Pick<Origins, 'isTrusted'>,
): string {
  // May be left out if there is only one (OAuth 2.1, section 4.1.1).
  const requested = given ?? (redirectUris.length === 1 ? redirectUris[0]! : refuse(redirectNotAllowed))
  const isAllowed =
    redirectKind(requested) !== undefined &&
    redirectUris.some((registered) => isSameRedirect(registered, requested)) &&
    !isTrusted(new URL(requested).origin)
  return isAllowed ? requested : refuse(redirectNotAllowed)
}

const error = (code: string, description: string): AuthorizationError => ({ error: code, description })

/** Checks everything but the program and the redirect URI. */
export function readAuthorizationRequest(
  query: AuthorizationQuery,
  origins: Pick<Origins, 'isTrusted'>,
): AuthorizationRequest | AuthorizationError {
  const { response_type, response_mode, code_challenge, code_challenge_method, scope } = query
  const repeated = Object.entries(query).find(([name, value]) => Array.isArray(value) && name !== 'resource')
  if (repeated) return error('invalid_request', `${repeated[0]} was sent twice.`)
  if (response_type === undefined) return error('invalid_request', 'response_type is missing.')
  if (response_type !== 'code') return error('unsupported_response_type', 'The response_type must be code.')
  if (response_mode !== undefined && response_mode !== 'query')
    return error('invalid_request', 'The response_mode must be query.')
  if (typeof code_challenge !== 'string' || !/^[\w-]{43}$/.test(code_challenge))
    return error('invalid_request', 'A code_challenge (PKCE) is required.')
  if (code_challenge_method !== 'S256') return error('invalid_request', 'The code_challenge_method must be S256.')
  const scopes = scopesIn(scope)
  if (scopes.length === 0) return error('invalid_scope', 'None of these scopes exists.')
  const resource = query.resource === undefined ? 'api' : readResource(query.resource, origins)
  if (!resource) return error('invalid_target', 'The resource must be the URL of this site, or of its MCP server.')
  return { codeChallenge: code_challenge, scopes, resource }
}

/** Scopes that we do not know are left out, as RFC 6749 allows: clients add `offline_access`, for example. */
function scopesIn(scope: unknown): OAuthScope[] {
  if (scope === undefined || scope === '') return ['read']
  return [...new Set(String(scope).split(' ').filter(isScope))]
}

/** The resource that a URL names (RFC 8707), on any of our origins. */
export function readResource(url: unknown, { isTrusted }: Pick<Origins, 'isTrusted'>): Resource | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { origin } = new URL(url)
  if (!isTrusted(origin)) return undefined
  if (url === origin || url === `${origin}/`) return 'api'
  return url === origin + mcpPath ? 'mcp' : undefined
}
