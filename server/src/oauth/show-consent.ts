import { randomUUID } from 'node:crypto'
import type { showConsent as declared } from '@pennypost/contract/oauth'
import { oauthScopes } from '@pennypost/contract/oauth-scopes'
import { ConsentPage, RequestErrorPage } from '@pennypost/site/components/consent-page'
import { readBrowserSession } from '../accounts/browser-session.ts'
import { page } from '../platform/http/page.ts'
import {
  type AuthorizationError,
  type AuthorizationQuery,
  readAuthorizationRequest,
  redirectUriOf,
} from './authorization-request.ts'
import { consentLifeMs, sealConsent } from './consent.ts'
import { findClient } from './find-client.ts'
import { redirectKind, withParameters } from './redirect-uri.ts'
import type { Handler, OAuthServices } from './services.ts'

/**
 * Shows the consent page. Until the program and its redirect URI are known to belong together, errors are shown here and
 * never sent on.
 */
export const showConsent: Handler<typeof declared> = async (services, { query, headers, origin }) => {
  const { clock, secrets, createLayout, site } = services
  const client = await findClient(services, query.client_id)
  const redirectUri = redirectUriOf(client, query.redirect_uri, services.origins)
  const request = readAuthorizationRequest(query, services.origins)
  if ('error' in request) return tellProgram(services, { ...request, redirectUri, state: query.state, issuer: origin })
  const { owner, setCookie } = await readBrowserSession(services, headers.cookie)
  const cookie = setCookie === undefined ? undefined : { 'set-cookie': setCookie }
  // A guest has no way to sign in yet, so could not disconnect the program later.
  if (!owner || owner.isAnonymous) return { status: 303, headers: { ...cookie, location: signInPath(query) } }
  const kind = redirectKind(redirectUri)!
  const { protocol, host } = new URL(redirectUri)
  const consent = sealConsent(secrets, {
    id: randomUUID(),
    sessionId: owner.sessionId,
    clientId: client.id,
    clientName: client.name,
    clientHost: client.host ?? (kind === 'site' ? host : null),
    redirectUri,
    state: query.state,
    ...request,
    expiresAt: clock.now().getTime() + consentLifeMs,
  })
  const shown = page({
    title: 'Connect a program',
    // A browser applies this to the redirects that follow, too, and the program's own site may have more of them.
    layout: { ...createLayout(), formTargets: [...new Set([protocol, 'https:'])] },
    body: ConsentPage({
      siteName: site.settings().name,
      handle: owner.account.handle,
      programName: client.name,
      programHost: client.host,
      returnsTo: { kind, place: kind === 'app' ? protocol.slice(0, -1) : host },
      scopes: request.scopes.map((name) => ({ name, ...oauthScopes[name] })),
      consent,
    }),
  })
  return { status: 200, headers: { ...shown.headers, ...cookie }, body: shown.html }
}

interface RefusedRequest extends AuthorizationError {
  readonly redirectUri: string
  readonly state: string | undefined
  readonly issuer: string
}

/**
 * Reports an error to the program. The browser is not redirected to another site without asking: anyone can register a
 * program, and a link to us must not lead elsewhere (RFC 9700, section 4.11.2).
 */
function tellProgram({ createLayout }: OAuthServices, refused: RefusedRequest) {
  const { redirectUri, state, issuer, error, description } = refused
  const location = withParameters(redirectUri, { error, error_description: description, state, iss: issuer })
  if (redirectKind(redirectUri) === 'loopback') return { status: 303, headers: { location } } as const
  const shown = page({
    title: 'This program cannot be connected',
    layout: createLayout(),
    body: RequestErrorPage({
      description,
      location,
      place: new URL(redirectUri).host || new URL(redirectUri).protocol,
    }),
  })
  return { status: 400, headers: shown.headers, body: shown.html } as const
}

/** Signs in first, and comes back with the same request. */
function signInPath(query: AuthorizationQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return `/sign-in?${new URLSearchParams({ next: `/oauth/authorize?${new URLSearchParams(given)}`, for: 'connect' })}`
}
